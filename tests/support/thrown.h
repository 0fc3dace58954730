// What callbacks of a user's may throw, and the errors that must come of it.
#pragma once

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

#include "bloomery/result.h"

namespace bloomery::testing {

enum class Thrown { exception, number, no_memory };

inline std::string name_of(Thrown thrown) {
  return thrown == Thrown::exception ? "exception" : thrown == Thrown::number ? "number" : "no_memory";
}

// Throws at every call but the first few.
class Bomb {
 public:
  explicit Bomb(Thrown what, int calls_before = 0) : what_(what), calls_left_(calls_before) {}

  void touch() {
    if (calls_left_-- > 0) return;
    if (what_ == Thrown::exception) throw std::runtime_error("the user's cup is full");
    if (what_ == Thrown::number) throw 42;
    throw std::bad_alloc();
  }

 private:
  Thrown what_;
  int calls_left_;
};

// `callback` stands in the message, which says who threw.
inline void expect_error_of(const Status& status, Thrown thrown, const std::string& field,
                            const std::string& callback) {
  ASSERT_FALSE(status.ok());
  const Error& error = status.error();
  if (thrown == Thrown::no_memory) {
    EXPECT_EQ(error.code, ErrorCode::out_of_memory) << error.to_string();
    return;
  }
  EXPECT_EQ(error.code, ErrorCode::invalid_argument) << error.to_string();
  EXPECT_EQ(error.field, field);
  EXPECT_NE(error.message.find(callback + " threw an exception"), std::string::npos) << error.message;
  if (thrown == Thrown::exception) {
    EXPECT_NE(error.message.find("the user's cup is full"), std::string::npos) << error.message;
  }
}

}  // namespace bloomery::testing
