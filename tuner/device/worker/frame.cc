#include "tuner/device/worker/frame.h"

namespace gktune {
namespace {

bool is_known(unsigned char kind) {
  switch (static_cast<Frame::Kind>(kind)) {
    case Frame::Kind::request:
    case Frame::Kind::pause:
    case Frame::Kind::resume:
    case Frame::Kind::reply:
    case Frame::Kind::ready:
    case Frame::Kind::not_ready:
    case Frame::Kind::phase:
    case Frame::Kind::fault:
    case Frame::Kind::ended:
      return true;
  }
  return false;
}

}  // namespace

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
  if (size > max_payload_bytes_ || !is_known(header[4])) {
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

}  // namespace gktune
