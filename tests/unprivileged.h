#pragma once

#include <stdlib.h>
#include <unistd.h>

namespace gktune {

// Makes the process another user for its lifetime, because root may write everywhere.
class Unprivileged {
 public:
  static constexpr uid_t kNobody = 65534;

  Unprivileged() : user_(geteuid()) {
    if (user_ == 0) is_changed_ = seteuid(kNobody) == 0;
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  ~Unprivileged() {
    if (is_changed_ && seteuid(user_) != 0) abort();
  }

 private:
  uid_t user_;
  bool is_changed_ = false;
};

}  // namespace gktune
