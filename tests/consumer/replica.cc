// A user of bloomery::replica: two replicas in one program, which exchange bytes.
#include <bloomery/bloomery.h>
#include <bloomery/replica/quorum.h>
#include <bloomery/replica/replica.h>

#include <iostream>

int main() {
  using Seen = bloomery::replica::ReplicaOf<bloomery::BlockFilter>;
  bloomery::replica::ReplicaOptions options;
  options.lineage = *bloomery::replica::Lineage::from_hex("00112233445566778899aabbccddeeff");
  options.incarnation = 1;
  options.start = bloomery::replica::Start::new_lineage;
  const auto make = [&](std::uint64_t origin) {
    options.origin = origin;
    return Seen::make(*bloomery::Shared<bloomery::BlockFilter>::with_capacity(1000, 0.001), options);
  };
  auto here = make(1), there = make(2);
  if (!here.ok() || !there.ok()) return 1;
  (*here)->add("key");
  const auto delta = (*here)->take_delta();
  if (!delta.ok() || !delta->has_value() || !(*there)->receive(**delta).ok()) return 2;
  if (!(*here)->receive(*(*there)->acknowledgement()).ok() || (*here)->acknowledged_by_all() != 1) return 3;
  const bloomery::replica::Configuration members{1, 1, 2, {1, 2}};
  if (!(*here)->configure(members).ok() || !(*there)->configure(members).ok()) return 4;
  bloomery::replica::QuorumReader reader(members);
  reader.ask(1, [&](bloomery::Hash hash) { return (*here)->vote(hash); });
  reader.ask(2, [&](bloomery::Hash hash) { return (*there)->vote(hash); });
  const auto hash = [&](const char* key) {
    return bloomery::hash_key((*here)->filter().hasher(), std::string_view(key));
  };
  std::cout << reader.contains(hash("key")) << "\n"
            << reader.contains(hash("another")) << "\n"
            << (*there)->contains("key") << "\n";
}
