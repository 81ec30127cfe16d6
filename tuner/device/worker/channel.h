#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/process/file_descriptor.h"

namespace gktune {
// A message between a parent and its worker.
struct Frame {
  enum class Kind : unsigned char {
    request = 'q',
    reply = 'r',
    ready = 'h',      // the worker accepts requests: a run worker's DeviceInfo, from others nothing
    not_ready = 'e',  // the worker cannot start: the reason
    phase = 'p',      // a Phase begins
    turn = 't',       // a finalist has its turn in a playoff: its number
    late = 'l',       // the candidate exceeds the time of a step: a BoundedStep
    fault = 'f',      // the worker dies: a status, a line feed, a message
    ended = 'x',      // the process that the worker forked for a job ended without an answer: an ExitStatus
    survived = 'v',   // the job goes on without that process
  };
  Kind kind = Kind::reply;
  std::string payload;
};

inline constexpr std::string_view kFrameKinds = "qrheptlfxv";

// On the wire: the payload's size in four bytes, least first, the kind, the payload.
inline constexpr std::size_t kFrameHeaderBytes = 5;
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{256} << 20;

void write_frame_header(Frame::Kind kind, std::size_t payload_bytes, unsigned char header[kFrameHeaderBytes]);
std::string encode_frame(Frame::Kind kind, std::string_view payload);

// Splits a stream of bytes into frames.
class FrameReader {
 public:
  explicit FrameReader(std::size_t max_payload_bytes = kMaxPayloadBytes)
      : max_payload_bytes_(max_payload_bytes) {}

  void feed(std::string_view bytes);
  std::optional<Frame> next();
  // True after an unknown kind or a size over the bound. No more frames follow.
  bool is_broken() const { return broken_; }

 private:
  std::size_t max_payload_bytes_;
  std::string buffer_;
  std::size_t taken_ = 0;  // of the buffer
  bool broken_ = false;
};

// Frames over a socket. A non-blocking socket never waits: the channel keeps what it cannot write yet.
class Channel {
 public:
  Channel() = default;
  explicit Channel(FileDescriptor socket) : socket_(std::move(socket)) {}

  int number() const { return socket_.number(); }
  // False once the other side has closed the socket or sent an invalid frame.
  // Earlier frames remain available.
  bool is_open() const { return socket_.is_open(); }

  void queue(Frame::Kind kind, std::string_view payload);
  bool wants_to_write() const { return !unsent_.empty(); }
  // Writes as much as the socket takes; all of it if the socket blocks.
  void write();
  // Reads what has arrived; waits for data if the socket blocks.
  void read();
  std::optional<Frame> next();

 private:
  FileDescriptor socket_;
  std::string unsent_;
  FrameReader reader_;
};

}  // namespace gktune
