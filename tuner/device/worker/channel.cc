#include "tuner/device/worker/channel.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace gktune {
void write_frame_header(Frame::Kind kind, std::size_t payload_bytes,
                        unsigned char header[kFrameHeaderBytes]) {
  for (int i = 0; i < 4; ++i) header[i] = static_cast<unsigned char>(payload_bytes >> (8 * i));
  header[4] = static_cast<unsigned char>(kind);
}

std::string encode_frame(Frame::Kind kind, std::string_view payload) {
  unsigned char header[kFrameHeaderBytes];
  write_frame_header(kind, payload.size(), header);
  std::string bytes(reinterpret_cast<const char*>(header), kFrameHeaderBytes);
  bytes += payload;
  return bytes;
}

void FrameReader::feed(std::string_view bytes) {
  if (!broken_) buffer_ += bytes;
}

std::optional<Frame> FrameReader::next() {
  if (broken_ || buffer_.size() - taken_ < kFrameHeaderBytes) return std::nullopt;
  const auto* header = reinterpret_cast<const unsigned char*>(buffer_.data() + taken_);
  std::size_t size = 0;
  for (int i = 0; i < 4; ++i) size |= std::size_t{header[i]} << (8 * i);
  if (size > max_payload_bytes_ || kFrameKinds.find(static_cast<char>(header[4])) == std::string_view::npos) {
    broken_ = true;
    buffer_.clear();
    return std::nullopt;
  }
  if (buffer_.size() - taken_ < kFrameHeaderBytes + size) return std::nullopt;
  Frame frame{static_cast<Frame::Kind>(header[4]), buffer_.substr(taken_ + kFrameHeaderBytes, size)};
  taken_ += kFrameHeaderBytes + size;
  if (taken_ == buffer_.size()) {
    buffer_.clear();
    taken_ = 0;
  }
  return frame;
}

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
