// The windows of a replica, each a filter with its cells and its fill guard. A filter that does not rotate is one
// window, number 0; windows of a rotating one are numbered by the epoch of its owner, from 1.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "replica/cells.h"
#include "replica/guard.h"

namespace BLOOMERY_NAMESPACE::replica {

// Safe from any thread.
struct Window {
  Window(std::uint64_t of, std::shared_ptr<const void> owner, std::unique_ptr<Cells> filter, double most_fpr)
      : number(of), bytes_owner(std::move(owner)), cells(std::move(filter)), guard(*cells, most_fpr) {}

  const std::uint64_t number;
  const std::shared_ptr<const void> bytes_owner;  // keeps what the cells refer to; empty where somebody else does
  const std::unique_ptr<Cells> cells;
  FillGuard guard;
};

using WindowList = std::vector<std::shared_ptr<Window>>;  // the oldest first; numbers without a gap; never empty

// Which windows there are at this moment. One thread at a time.
class Windows {
 public:
  // `kept`: how many windows a key stays after its own; 0 without rotation.
  Windows(WindowList all, std::uint64_t kept) : all_(std::move(all)), kept_(kept) {}

  bool rotate() const { return kept_ > 0; }
  // The window that the owner is in, or 0 without rotation. The one behind it is the spare.
  std::uint64_t epoch() const { return rotate() ? all_.back()->number - 1 : 0; }
  const WindowList& all() const { return all_; }
  const Window& any() const { return *all_.front(); }
  void replace(WindowList next) noexcept { all_.swap(next); }

  bool is_gone(std::uint64_t number) const { return number < all_.front()->number; }
  bool is_ahead(std::uint64_t number) const { return number > all_.back()->number; }
  // Returns null for a window that is gone, or ahead.
  std::shared_ptr<Window> find(std::uint64_t number) const {
    if (is_gone(number) || is_ahead(number)) return nullptr;
    return all_[static_cast<std::size_t>(number - all_.front()->number)];
  }
  // The first one behind that number, or nothing.
  std::shared_ptr<Window> after(std::uint64_t number) const {
    return is_gone(number + 1) ? all_.front() : find(number + 1);
  }

  // Refuses a message of a filter that rotates by one that does not, and the other way round.
  Status check(std::uint64_t number) const;
  // Fills in kind, hash, geometry and window.
  void describe(Hello& hello) const;

 private:
  WindowList all_;
  std::uint64_t kept_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
