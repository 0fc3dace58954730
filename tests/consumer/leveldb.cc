// A filter of ours as LevelDB's: prints 1 0, then 1, as the other examples do.
#include <bloomery/leveldb.h>
#include <leveldb/slice.h>

#include <cstdio>

int main() {
  auto policy = bloomery::leveldb_filter_policy(bloomery::Kind::split, 0.001);
  if (!policy.ok()) return std::puts(policy.error().to_string().c_str()), 1;
  const leveldb::Slice keys[] = {"alpha", "beta"};
  std::string filter;
  (*policy)->CreateFilter(keys, 2, &filter);
  std::printf("%d %d\n", (*policy)->KeyMayMatch("alpha", filter), (*policy)->KeyMayMatch("omega", filter));
  std::printf("%d\n", (*policy)->KeyMayMatch("beta", filter));
}
