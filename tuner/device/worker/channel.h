#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/process/file_descriptor.h"
#include "tuner/device/worker/frame.h"

namespace gktune {

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
