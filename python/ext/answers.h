// Answers of a batch, as arrays of NumPy: a bool for each key, a bit for each key, or the positions of those that may
// be present.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bloomery::python {

namespace nb = nanobind;

enum class AnswerForm : std::uint8_t { bools, bits, positions };
AnswerForm answer_form_from_name(std::string_view name);

// Grows as answers come; does not throw, so that it can be used without the GIL.
class Answers {
 public:
  explicit Answers(AnswerForm form) : form_(form) {}
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;
  ~Answers();

  // Makes room for so many more keys. False: no memory.
  bool reserve(std::size_t keys) noexcept;
  // Returns where the bools go, for keys that room was made for. Call it for answers of that form alone.
  std::span<std::uint8_t> bools(std::size_t keys) noexcept;
  // Takes a group of answers, one byte each.
  void append(std::span<const std::uint8_t> answers) noexcept;

  AnswerForm form() const noexcept { return form_; }
  // The array, which then owns the memory.
  nb::object to_numpy() &&;

 private:
  AnswerForm form_;
  std::uint8_t* data_ = nullptr;
  std::size_t keys_ = 0, found_ = 0, capacity_ = 0;  // capacity in bytes
};

}  // namespace bloomery::python
