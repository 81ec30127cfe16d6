#include "tuner/device/worker/channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <future>
#include <thread>

namespace gktune {
namespace {

TEST(FrameReader, reads_frames_however_the_bytes_are_divided) {
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

TEST(FrameReader, fails_on_a_frame_over_the_size_limit) {
  FrameReader reader(8);
  reader.feed(encode_frame(Frame::Kind::reply, "12345678"));
  EXPECT_TRUE(reader.next().has_value());
  reader.feed(encode_frame(Frame::Kind::reply, "123456789"));
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_TRUE(reader.is_broken());
  reader.feed(encode_frame(Frame::Kind::reply, "1"));
  EXPECT_FALSE(reader.next().has_value());
}

TEST(FrameReader, fails_on_a_frame_of_an_unknown_kind) {
  FrameReader reader;
  reader.feed(std::string("\1\0\0\0zx", 6));
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_TRUE(reader.is_broken());
}

TEST(Channel, does_not_wait_for_more_bytes_even_if_its_socket_blocks) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Channel reading{FileDescriptor(ends[0])}, writing{FileDescriptor(ends[1])};
  // As many bytes as one read takes.
  writing.queue(Frame::Kind::request, std::string(65536 - kFrameHeaderBytes, 'x'));
  std::thread writer([&] { writing.write(); });
  auto frame = std::async(std::launch::async, [&] {
    std::optional<Frame> next;
    while (!next && reading.is_open()) {
      reading.read();
      next = reading.next();
    }
    return next;
  });
  EXPECT_EQ(frame.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  ::shutdown(ends[1], SHUT_RDWR);
  writer.join();
  EXPECT_TRUE(frame.get().has_value());
}

}  // namespace
}  // namespace gktune
