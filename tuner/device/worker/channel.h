#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/device/worker/file_descriptor.h"
#include "tuner/device/worker/frame.h"

namespace gktune {

// Frames over a socket. Never waits on a socket that does not block: what cannot be written yet is kept.
class Channel {
 public:
  Channel() = default;
  explicit Channel(FileDescriptor socket) : socket_(std::move(socket)) {}

  int number() const { return socket_.number(); }
  // False once the other side has hung up, or talks nonsense. Frames that came before can still be taken.
  bool is_open() const { return socket_.is_open(); }

  void queue(Frame::Kind kind, std::string_view payload);
  bool wants_to_write() const { return !unsent_.empty(); }
  // As much as the socket takes now; all of it where the socket blocks.
  void write();
  // What has arrived; waits for some where the socket blocks.
  void read();
  std::optional<Frame> next();

 private:
  FileDescriptor socket_;
  std::string unsent_;
  FrameReader reader_;
};

}  // namespace gktune
