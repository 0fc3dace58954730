// A rotating filter from the files of its generations; the rest of it is in rotating.cc.
#include <cerrno>

#include "bloomery/live/rotating.h"
#include "core/base/error.h"
#include "core/io/sys.h"

namespace BLOOMERY_NAMESPACE {
namespace {

template <class Filter>
Status merge_file(Shared<Filter>& generation, const std::string& path, const OpenOptions& open) {
  struct stat info {};
  if (io::sys_stat(path.c_str(), &info) != 0 && errno == ENOENT) return {};
  Result<FilterFile> file = FilterFile::open(path, open);
  BLOOMERY_TRY(file);
  const auto* view = file->view().template as<typename Filter::View>();
  if (view == nullptr)
    return in_file(unsupported("kind", std::string("holds a ") + to_string(file->view().kind()) +
                                           " filter, and this rotating filter is of another kind: load it as that"),
                   path);
  if (!file->answers_keys()) return in_file(unsupported("secret", "was opened without its secret"), path);
  Status merged = generation.merge(*view);
  if (!merged.ok()) return in_file(std::move(merged).error(), path);
  return {};
}

}  // namespace

template <class Filter>
Result<std::unique_ptr<RotatingFilter<Filter>>> RotatingFilter<Filter>::load(const std::string& path,
                                                                             const RotatingOptions& options,
                                                                             const OpenOptions& open) {
  return guarded([&]() -> Result<std::unique_ptr<RotatingFilter>> {
    Result<std::unique_ptr<RotatingFilter>> made = make(options);
    BLOOMERY_TRY(made);
    const State held = (*made)->hold();
    for (std::size_t age = 0; age < held.generations.size() && age <= held.epoch; ++age)
      BLOOMERY_TRY(merge_file<Filter>(*held.generations[age], path + "." + std::to_string(held.epoch - age), open));
    return made;
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define BLOOMERY_ROTATING_LOAD(Filter)                                                   \
  template Result<std::unique_ptr<RotatingFilter<Filter>>> RotatingFilter<Filter>::load( \
      const std::string& path, const RotatingOptions& options, const OpenOptions& open);
BLOOMERY_ROTATING_LOAD(ClassicFilter)
BLOOMERY_ROTATING_LOAD(SplitFilter)
BLOOMERY_ROTATING_LOAD(BlockFilter)
#undef BLOOMERY_ROTATING_LOAD
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace BLOOMERY_NAMESPACE
