// Replicas with their transports, on a server of their own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/block.h"
#include "server.h"

namespace bloomery::testing {

using replica::ReplicaOf;
using replica::StreamOptions;
using replica::Streams;
using std::chrono::milliseconds;

inline constexpr std::uint64_t kKeys = 20'000;

inline replica::Lineage lineage_of_tests() {
  replica::Lineage lineage;
  lineage.bytes.fill(0x2a);
  return lineage;
}

// One replica with its transport.
struct Member {
  // What tests change of the usual.
  struct With {
    std::uint64_t n = kKeys;
    std::string site = "main";
    std::optional<Secret> secret = {};
    std::uint64_t stream_cap = 1'000'000, pending_cap = 1 << 26;
    std::size_t delta_keys = 100'000;
    replica::CheckpointStore* store = nullptr;
    milliseconds repair_every{60'000};
  };

  static Result<std::unique_ptr<Member>> make(const TestServer& server, std::uint64_t origin,
                                              std::uint64_t incarnation = 1) {
    return make(server, origin, incarnation, With());
  }
  static Result<std::unique_ptr<Member>> make(const TestServer& server, std::uint64_t origin, std::uint64_t incarnation,
                                              const With& with) {
    auto member = std::make_unique<Member>();
    auto filter = Shared<BlockFilter>::with_capacity(with.n, 0.01);
    BLOOMERY_TRY(filter);
    auto made = ReplicaOf<BlockFilter>::make(
        *std::move(filter), {.lineage = lineage_of_tests(),
                             .origin = origin,
                             .incarnation = incarnation,
                             .secret = with.secret,
                             .start = incarnation == 1 ? replica::Start::new_lineage : replica::Start::lost});
    BLOOMERY_TRY(made);
    member->replica = *std::move(made);
    StreamOptions options;
    options.server = server.address();
    options.site = with.site;
    options.stream_cap = with.stream_cap;
    options.pending_cap = with.pending_cap;
    options.delta_keys = with.delta_keys;
    options.store = with.store;
    options.repair_every = with.repair_every;
    options.checkpoint_after = 0;
    options.peer_timeout = milliseconds(1000);
    auto streams = Streams::connect(*member->replica, options);
    BLOOMERY_TRY(streams);
    member->streams = *std::move(streams);
    return member;
  }

  std::unique_ptr<ReplicaOf<BlockFilter>> replica;
  std::unique_ptr<Streams> streams;
};

class ReplicaStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    if (server_program().empty()) GTEST_SKIP() << "BLOOMERY_TEST_SERVER names no server";
    server_ = std::make_unique<TestServer>();
  }
  void join(std::size_t count, const Member::With& with = {}) {
    for (std::size_t i = members_.size(); i < count; ++i) {
      auto member = Member::make(*server_, i + 1, 1, with);
      ASSERT_TRUE(member.ok()) << member.error().to_string();
      members_.push_back(*std::move(member));
    }
  }
  // Each adds every count-th of the keys from `first` on.
  void add(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t key = first; key < last; ++key) members_[key % members_.size()]->replica->add(key);
  }
  // Whether all payloads are equal and hold all keys from 0 on.
  bool agree(std::uint64_t keys) const {
    for (const auto& member : members_) {
      for (std::uint64_t key = 0; key < keys; ++key)
        if (!member->replica->contains(key)) return false;
      if (!std::ranges::equal(member->replica->filter().view().payload(),
                              members_[0]->replica->filter().view().payload()))
        return false;
    }
    return true;
  }
  // Pumps in turn until all agree; errors of a server that is away are part of it.
  bool settles(std::uint64_t keys) {
    return comes_true([&] {
      for (int i = 0; i < 8; ++i)
        for (const auto& member : members_) failed_ += !member->streams->pump(milliseconds(0)).ok();
      return agree(keys);
    });
  }

  std::unique_ptr<TestServer> server_;
  std::vector<std::unique_ptr<Member>> members_;
  std::uint64_t failed_ = 0;
};

}  // namespace bloomery::testing
