// What a service takes from the shared library: every call here must be exported.
#include <bloomery/bloomery.h>
#include <bloomery/live/live.h>
#include <bloomery/live/per_node.h>
#include <bloomery/live/rotating.h>

#include <iostream>
#include <thread>
#include <vector>

int main() {
  auto live = bloomery::LiveFilter<bloomery::BlockFilter>::make({.n = 1000, .fpr = 0.001});
  auto seen = bloomery::RotatingFilter<bloomery::SplitFilter>::make({.n = 1000, .fpr = 0.001, .windows = 2});
  auto shared = bloomery::Shared<bloomery::ClassicFilter>::with_capacity(1000, 0.001);
  auto copies = bloomery::PerNode<bloomery::BlockFilter>::make(
      {.n = 1000, .fpr = 0.001, .nodes = 2, .adds = bloomery::AddsTo::owner_node});
  if (!live.ok() || !seen.ok() || !shared.ok() || !copies.ok()) return 1;
  std::thread([&] { (*live)->add("key"); }).join();
  if (!(*live)->begin_rebuild(2000, 0.001).ok() || !(*live)->feed("key").ok() || !(*live)->commit().ok()) return 2;
  if (!(*live)->self_check() || (*live)->prometheus()->empty() || (*live)->json()->empty()) return 3;
  if (!(*seen)->advance_to(1).ok() || (*live)->snapshot("").ok()) return 4;
  shared->add("key");
  if (!copies->run_on_node(1).ok() || !copies->prefault().ok()) return 5;
  copies->add("key");
  copies->merge_now();
  (void)copies->lock_in_memory();  // a limit may forbid it
  std::uint8_t answers[2];
  copies->contains_many(std::vector<std::uint64_t>{1, 2}, answers);
  if (!copies->contains("key") || !copies->copy().ok() || !copies->merge(copies->view(0)).ok()) return 6;
  std::cout << (*live)->contains("key") << "\n"
            << (*live)->contains("another") << "\n"
            << shared->contains("key") << "\n";
}
