#include "answers.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "errors.h"
#include "guard.h"

namespace bloomery::python {
namespace {

template <class T>
nb::object array_of(std::uint8_t* data, std::size_t count) {
  const nb::capsule owner(data, [](void* memory) noexcept { std::free(memory); });
  try {
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {count}, owner));
  } catch (const nb::python_error&) {
    if (interpreter_ends()) raise_invalid("the interpreter ends, and NumPy can no longer be imported for the answers");
    throw;
  }
}

}  // namespace

AnswerForm answer_form_from_name(std::string_view name) {
  if (name == "bool") return AnswerForm::bools;
  if (name == "bits") return AnswerForm::bits;
  if (name == "positions") return AnswerForm::positions;
  raise_invalid("answers is '" + std::string(name) + "' and must be 'bool', 'bits' or 'positions'");
}

Answers::~Answers() { std::free(data_); }

bool Answers::reserve(std::size_t keys) noexcept {
  const std::size_t all = keys_ + keys;
  const std::size_t bytes = form_ == AnswerForm::bools  ? all
                            : form_ == AnswerForm::bits ? all / 8 + 1
                                                        : 8 * (found_ + keys);
  if (bytes <= capacity_) return true;
  const std::size_t room = keys_ == 0 ? bytes : std::max(bytes, capacity_ + capacity_ / 2);
  auto* larger = static_cast<std::uint8_t*>(std::realloc(data_, room));
  if (larger == nullptr) return false;
  data_ = larger;
  capacity_ = room;
  return true;
}

std::span<std::uint8_t> Answers::bools(std::size_t keys) noexcept {
  keys_ += keys;
  return {data_ + keys_ - keys, keys};
}

void Answers::append(std::span<const std::uint8_t> answers) noexcept {
  if (form_ == AnswerForm::bools) {
    std::copy(answers.begin(), answers.end(), bools(answers.size()).begin());
    return;
  }
  for (const std::uint8_t answer : answers) {
    if (form_ == AnswerForm::bits) {
      std::uint8_t& byte = data_[keys_ / 8];
      if (keys_ % 8 == 0) byte = 0;
      byte = static_cast<std::uint8_t>(byte | answer << (keys_ % 8));
    } else {
      const std::uint64_t position = keys_;
      std::memcpy(data_ + 8 * found_, &position, 8);
      found_ += answer;
    }
    ++keys_;
  }
}

nb::object Answers::to_numpy() && {
  if (data_ == nullptr && !reserve(1)) raise_code(ErrorCode::out_of_memory, "no memory for the answers");
  std::uint8_t* data = std::exchange(data_, nullptr);
  if (form_ == AnswerForm::bools) return array_of<bool>(data, keys_);
  if (form_ == AnswerForm::bits) return array_of<std::uint8_t>(data, (keys_ + 7) / 8);
  return array_of<std::int64_t>(data, found_);
}

}  // namespace bloomery::python
