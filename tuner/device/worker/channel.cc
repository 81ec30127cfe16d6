#include "tuner/device/worker/channel.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace gktune {

void Channel::queue(Frame::Kind kind, std::string_view payload) { unsent_ += encode_frame(kind, payload); }

void Channel::write() {
  while (is_open() && !unsent_.empty()) {
    const ssize_t sent = ::send(number(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      unsent_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      unsent_.clear();  // the last frames of the other side are still to be read
    }
  }
}

void Channel::read() {
  std::array<char, 65536> bytes;
  for (int flags = 0; is_open();) {
    const ssize_t got = ::recv(number(), bytes.data(), bytes.size(), flags);
    if (got > 0) {
      reader_.feed({bytes.data(), static_cast<std::size_t>(got)});
      flags = MSG_DONTWAIT;  // a message may end with the buffer
      if (static_cast<std::size_t>(got) < bytes.size()) return;
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return;
    } else {
      socket_.close();
    }
  }
}

std::optional<Frame> Channel::next() {
  std::optional<Frame> frame = reader_.next();
  if (reader_.is_broken()) socket_.close();
  return frame;
}

}  // namespace gktune
