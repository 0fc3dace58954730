#include "server/dumps.h"

#include <algorithm>
#include <cstring>
#include <list>

#include "server/stamp.h"
#include "server/transfer.h"

namespace bloomery::server {

namespace {

std::list<Dump>& dumps() {
  static std::list<Dump> all;  // the oldest first
  return all;
}

// The bytes of its newest filter that change their place when it grows.
std::span<const std::uint8_t> directory_of(const FilterValue& value) {
  const AnyView view = value.newest().view();
  const auto* const chain = view.as<ScalableView>();
  if (chain == nullptr) return {};
  return chain->payload().first(static_cast<std::size_t>(chain->geometry().directory_bytes()));
}

// Copies what lies in `from` after `skipped` bytes to the front of `out`; returns what is left of it.
std::span<std::uint8_t> copy_front(std::span<const std::uint8_t> from, std::uint64_t skipped,
                                   std::span<std::uint8_t> out) {
  if (skipped >= from.size()) return out;
  const std::size_t count = std::min(out.size(), from.size() - static_cast<std::size_t>(skipped));
  std::memcpy(out.data(), from.data() + skipped, count);
  return out.subspan(count);
}

}  // namespace

Dump& begin_dump(const FilterValue& value) {
  const std::span<const std::uint8_t> directory = directory_of(value);
  Dump dump{
      next_stamp(), value.id(), value.losses(), value.payload(0).size(), {directory.begin(), directory.end()}, {}};
  dumps().push_back(std::move(dump));
  if (dumps().size() > kMostDumps) dumps().pop_front();
  return dumps().back();
}

Dump* find_dump(const FilterValue& value, std::uint64_t tag) noexcept {
  for (Dump& dump : dumps())
    if (dump.tag == tag && dump.value == value.id()) return dump.losses == value.losses() ? &dump : nullptr;
  return nullptr;
}

void copy_dump(const FilterValue& value, const Dump& dump, std::uint64_t offset, std::span<std::uint8_t> out) {
  const std::size_t size = out.size();
  out = copy_front(dump.directory, offset, out);
  offset += size - out.size();
  if (out.empty()) return;
  // Behind the directory come the links it began with, and then those that are newer.
  const std::span<const std::uint8_t> newest = value.payload(0);
  const auto links = newest.subspan(directory_of(value).size())
                         .first(static_cast<std::size_t>(dump.newest_bytes - dump.directory.size()));
  const std::size_t left = out.size();
  out = copy_front(links, offset - dump.directory.size(), out);
  offset += left - out.size();
  if (!out.empty()) copy_out(value, newest.size() + (offset - dump.newest_bytes), out);
}

std::uint64_t FilterValue::begin_dump() { return server::begin_dump(*this).tag; }

std::optional<std::uint64_t> FilterValue::dump_bytes(std::uint64_t tag) const {
  const Dump* const dump = find_dump(*this, tag);
  if (dump == nullptr) return {};
  return payload_bytes() - payload(0).size() + dump->newest_bytes;
}

void FilterValue::copy_dump(std::uint64_t tag, std::uint64_t offset, std::span<std::uint8_t> out) const {
  if (const Dump* const dump = find_dump(*this, tag)) server::copy_dump(*this, *dump, offset, out);
}

}  // namespace bloomery::server
