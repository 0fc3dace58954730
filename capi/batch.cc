// Many keys at once. Lengths are compared before the library is called, because it would end the program over a wrong
// one.
#include <algorithm>
#include <cstring>
#include <vector>

#include "capi/change.h"
#include "capi/keys.h"

using namespace bloomery;
using namespace bloomery::capi;

namespace {

// Whether the filter can be asked for these keys: a keyed file that was opened without its secret says "maybe" to all
// but hashes.
bool asks(const bloomery_filter& filter, const Keys& keys) { return filter.answers_keys || keys.are_hashes(); }

void answer(const bloomery_filter& filter, const Keys& keys, std::span<std::uint8_t> answers) {
  if (!asks(filter, keys)) return std::fill(answers.begin(), answers.end(), std::uint8_t{1});
  keys.for_ranges(Keys::kAll, [&](std::size_t first, const auto& range) {
    filter.view.contains_many(range, answers.subspan(first));
    return true;
  });
}

// Calls use(first, answers) for each group of keys, whose answers are bytes.
template <class Use>
void for_answers(const bloomery_filter& filter, const Keys& keys, const Use& use) {
  keys.for_ranges(Keys::kGroup, [&](std::size_t first, const auto& range) {
    std::array<std::uint8_t, Keys::kGroup> answers;
    answers.fill(1);
    if (asks(filter, keys)) filter.view.contains_many(range, answers);
    use(first, std::span<const std::uint8_t>(answers).first(range.size()));
    return true;
  });
}

void hash(const Hasher& hasher, const Keys& keys, std::span<Hash> out) {
  keys.for_ranges(Keys::kAll, [&](std::size_t first, const auto& range) {
    hash_keys(hasher, range, out.subspan(first, range.size()));
    return true;
  });
}

// Keys that do not lie as the library takes them are hashed first, into as many bytes as the build sorts.
Result<AnyFilter> build(Kind kind, const Keys& keys, const SizeSpec& size, const CheckedOptions& with,
                        unsigned threads) {
  if (keys.are_words() && keys.are_hashes())
    return AnyFilter::build(kind, as_hashes(keys.words()), size, with.filter(), threads);
  if (keys.are_words()) return AnyFilter::build(kind, keys.words(), size, with.filter(), threads);
  if (keys.are_strings())
    return keys.with_column(
        [&](const auto& column) { return AnyFilter::build(kind, column, size, with.filter(), threads); });
  const Hasher hasher = with.hasher.value_or(default_hasher(kind));
  std::vector<Hash> hashes(keys.count());
  hash(hasher, keys, hashes);
  return AnyFilter::build(kind, hashes, size, {hasher, with.memory.get()}, threads);
}

}  // namespace

bloomery_error* bloomery_filter_build(const char* kind, const bloomery_keys* keys, const bloomery_size_spec* spec,
                                      const bloomery_options* options, unsigned threads, bloomery_filter** filter) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    *filter = nullptr;
    const Result<Kind> known = kind_of(kind);
    BLOOMERY_TRY(known);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    const Result<SizeSpec> size = size_of(spec);
    BLOOMERY_TRY(size);
    Result<CheckedOptions> with = checked(options);
    BLOOMERY_TRY(with);
    Result<AnyFilter> built = build(*known, *run, *size, *with, std::max(threads, 1u));
    BLOOMERY_TRY(built);
    *filter = handle_of(*std::move(built), std::move(with->memory));
    return {};
  });
}

bloomery_error* bloomery_filter_add_many(bloomery_filter* filter, const bloomery_keys* keys, unsigned threads) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    const auto add = [&](auto& owner) -> Status {
      Status status;
      run->for_ranges(Keys::kAll, [&](std::size_t, const auto& range) {
        if constexpr (requires { owner.add_many(range, threads); })
          status = threads > 1 ? owner.add_many(range, threads) : owner.add_many(range);
        else status = owner.add_many(range);
        return status.ok();
      });
      return status;
    };
    return change(*filter, add, filter->moves);
  });
}

bloomery_error* bloomery_filter_remove_many(bloomery_filter* filter, const bloomery_keys* keys, uint8_t* removed,
                                            size_t length) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    if (removed != nullptr || length != 0) BLOOMERY_TRY(check_length("removed", removed, length, run->count()));
    const auto remove = [&](auto& owner) -> Status {
      Status status;
      run->for_ranges(Keys::kAll, [&](std::size_t first, const auto& range) {
        for (std::size_t i = 0; i < range.size() && status.ok(); ++i) {
          const Result<bool> was_there = owner.remove(range[i]);
          if (!was_there.ok()) status = was_there.status();
          else if (removed != nullptr) removed[first + i] = *was_there ? 1 : 0;
        }
        return status.ok();
      });
      return status;
    };
    return change(*filter, remove, false);
  });
}

bloomery_error* bloomery_filter_contains_many(const bloomery_filter* filter, const bloomery_keys* keys,
                                              uint8_t* answers, size_t length) {
  const auto ask = [&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    BLOOMERY_TRY(check_length("answers", answers, length, run->count()));
    answer(*filter, *run, {answers, run->count()});
    return {};
  };
  return all_maybe(returning(ask), keys, answers, length);
}

bloomery_error* bloomery_filter_contains_bitmap(const bloomery_filter* filter, const bloomery_keys* keys,
                                                uint64_t* words, size_t length) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    BLOOMERY_TRY(check_length("words", words, length, run->count() / 64 + (run->count() % 64 != 0)));
    for_answers(*filter, *run, [&](std::size_t first, std::span<const std::uint8_t> answers) {
      for (std::size_t i = 0; i < answers.size(); i += 64) {
        std::uint64_t word = 0;
        for (std::size_t j = i; j < std::min(i + 64, answers.size()); ++j)
          word |= static_cast<std::uint64_t>(answers[j]) << (j - i);
        words[(first + i) / 64] = word;
      }
    });
    return {};
  });
}

bloomery_error* bloomery_filter_select_present(const bloomery_filter* filter, const bloomery_keys* keys,
                                               uint32_t* positions, size_t length, size_t* found) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(found);
    *found = 0;
    BLOOMERY_C_NEEDS(filter);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    BLOOMERY_TRY(check_length("positions", positions, length, run->count()));
    if (run->count() > std::uint64_t{1} << 32)
      return Error{ErrorCode::invalid_argument, "positions have 32 bits: ask at most 2^32 keys at once", {}, "keys"};
    for_answers(*filter, *run, [&](std::size_t first, std::span<const std::uint8_t> answers) {
      for (std::size_t i = 0; i < answers.size(); ++i) {
        positions[*found] = static_cast<std::uint32_t>(first + i);
        *found += answers[i];
      }
    });
    return {};
  });
}

bloomery_error* bloomery_filter_hash_many(const bloomery_filter* filter, const bloomery_keys* keys, uint64_t* hashes,
                                          size_t length) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    BLOOMERY_TRY(check_length("hashes", hashes, length, run->count()));
    BLOOMERY_TRY(check_answers_keys(*filter));
    hash(filter->view.hasher(), *run, {reinterpret_cast<Hash*>(hashes), run->count()});
    return {};
  });
}
