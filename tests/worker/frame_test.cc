#include "tuner/device/worker/frame.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

TEST(FrameReader, frames_arrive_however_the_bytes_are_cut) {
  const std::string bytes = encode_frame(Frame::Kind::reply, "hello") + encode_frame(Frame::Kind::ready, "") +
                            encode_frame(Frame::Kind::fault, std::string("a\0b", 3));
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.feed(std::string_view(bytes).substr(at, step));
      while (auto frame = reader.next()) frames.push_back(*frame);
    }
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[0].payload, "hello");
    EXPECT_EQ(frames[1].kind, Frame::Kind::ready);
    EXPECT_EQ(frames[2].payload.size(), 3u);
  }
}

TEST(FrameReader, a_frame_over_the_bound_breaks_the_stream) {
  FrameReader reader(8);
  reader.feed(encode_frame(Frame::Kind::reply, "12345678"));
  EXPECT_TRUE(reader.next().has_value());
  reader.feed(encode_frame(Frame::Kind::reply, "123456789"));
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_TRUE(reader.is_broken());
  reader.feed(encode_frame(Frame::Kind::reply, "1"));
  EXPECT_FALSE(reader.next().has_value());
}

TEST(FrameReader, an_unknown_kind_breaks_the_stream) {
  FrameReader reader;
  reader.feed(std::string("\1\0\0\0zx", 6));
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_TRUE(reader.is_broken());
}

}  // namespace
}  // namespace gktune
