// A MemorySource that counts what is out, fills it with rubbish, and can refuse.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

#include "bloomery/memory.h"

namespace bloomery::testing {

class CountingSource final : public MemorySource {
 public:
  ~CountingSource() { EXPECT_TRUE(out_.empty()) << out_.size() << " blocks were never released"; }

  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    if (++calls_ >= refused_) return nullptr;
    EXPECT_GT(bytes, 0u);
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    std::memset(memory, 0xa5, bytes);
    out_[memory] = bytes;
    bytes_ += bytes;
    return memory;
  }
  void release(void* memory, std::size_t bytes, std::size_t) noexcept override {
    const auto found = out_.find(memory);
    ASSERT_NE(found, out_.end()) << "never given, or released twice";
    EXPECT_EQ(found->second, bytes);
    bytes_ -= bytes;
    out_.erase(found);
    std::free(memory);
  }

  // The n-th call from now on is refused, and all after it; 0 refuses none.
  void refuse_from(std::uint64_t n) { refused_ = n == 0 ? ~std::uint64_t{0} : calls_ + n; }
  std::uint64_t bytes() const { return bytes_; }  // that are out
  std::uint64_t calls() const { return calls_; }

 private:
  std::map<void*, std::size_t> out_;
  std::uint64_t bytes_ = 0, calls_ = 0, refused_ = ~std::uint64_t{0};
};

}  // namespace bloomery::testing
