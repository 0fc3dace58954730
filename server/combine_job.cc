#include "server/combine_job.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "format/records.h"
#include "server/filter_value.h"

namespace bloomery::server {

namespace {

constexpr std::size_t kSlice = std::size_t{2} << 20;  // copied in less than a millisecond
// Opening a key costs like copying so many bytes at least, so that a step opens no more than 1,024.
constexpr std::size_t kOpening = std::size_t{2} << 10;
constexpr long long kPauseMs = 1;

// A name for the server's functions, freed when it goes.
class Name {
 public:
  explicit Name(const std::string& text) : string_(api.CreateString(nullptr, text.data(), text.size())) {}
  ~Name() { api.FreeString(nullptr, string_); }
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;
  String* get() const { return string_; }

 private:
  String* string_;
};

// A filter of the job as it was when the job began.
struct Source {
  std::string key;
  std::uint64_t id, changes;
};

// A whole filter, copied. `like` tells kind, geometry and hash; its bytes may be gone.
struct Copied {
  Bytes bytes;
  AnyView like;
  std::optional<std::uint64_t> key_count;
};

// One combination. All of it belongs to the server's thread but what `work` is given, which touches no key.
struct Job {
  BlockedClient* client = nullptr;
  int database = 0;
  bool merge = true;
  std::uint64_t most = 0;
  std::vector<std::string> arguments;  // without the name of the command
  std::vector<Source> sources;         // the destination first when it takes part
  bool has_target = false;

  std::size_t source = 0;  // the one that is being copied
  std::size_t copied = 0;  // bytes of it
  Bytes copy;
  std::vector<Copied> whole;  // those that the thread combines next
  std::optional<AnyFilter> result;
  format::MergedRecords records;

  std::thread worker;
  std::atomic<bool> working{false};
  Status status;  // of the worker; then of the job
};

void work(Job& job, std::function<Status(Job&)> act) {
  job.working.store(true, std::memory_order_relaxed);
  job.worker = std::thread([&job, act = std::move(act)] {
    try {
      const AllocationLimit limit(job.most);
      job.status = act(job);
    } catch (...) {
      job.status = Error{ErrorCode::out_of_memory, "out of memory", {}, {}};
    }
    job.working.store(false, std::memory_order_release);
  });
}

Error no_memory() { return {ErrorCode::out_of_memory, "Insufficient memory to create filter", {}, {}}; }
Error changed() {
  return {ErrorCode::mismatch, "a filter of it has changed meanwhile, nothing was combined: ask again", {}, {}};
}

Status take_copy(Job& job, std::size_t size) {
  job.copy = Bytes::take_zeroed(size);  // its pages are in place then, and slices are copied fast
  return job.copy.empty() ? Status(no_memory()) : Status();
}

Result<AnyView> view_like(const AnyView& like, std::span<const std::uint8_t> bytes) {
  return std::visit(
      [&]<class Layout>(const BasicView<Layout>& view) -> Result<AnyView> {
        const Result<BasicView<Layout>> same = BasicView<Layout>::from_payload(bytes, view.geometry(), view.hasher());
        BLOOMERY_TRY(same);
        return AnyView(*same);
      },
      like.variant());
}

Status combine_copies(Job& job) {
  for (Copied& copied : std::exchange(job.whole, {})) {
    const Result<AnyView> view = view_like(copied.like, copied.bytes.span());
    BLOOMERY_TRY(view);
    Result<AnyFilter> filter = AnyFilter::copy_of(*view, copied.key_count, &server_memory);
    BLOOMERY_TRY(filter);
    const Bytes freed = std::move(copied.bytes);
    if (!job.result) {
      job.result = *std::move(filter);
      continue;
    }
    BLOOMERY_TRY(job.merge ? job.result->merge(*filter) : job.result->intersect(*filter));
  }
  return {};
}

// The value of a source, or nullptr when it is not what it was.
FilterValue* unchanged(const OpenedKey& key, const Source& source) {
  auto* const value = key.value<FilterValue>(ValueKind::filter);
  return value != nullptr && value->id() == source.id && value->changes() == source.changes ? value : nullptr;
}

bool is_unchanged(Context* context, const Job& job) {
  const bool same = std::all_of(job.sources.begin(), job.sources.end(), [&](const Source& source) {
    const Name name(source.key);
    const OpenedKey key(context, name.get(), kRead | kNoTouch);
    return unchanged(key, source) != nullptr;
  });
  if (!same || job.has_target) return same;
  const Name name(job.arguments[0]);
  return OpenedKey(context, name.get(), kRead | kNoTouch).is_empty();
}

// Takes the filter whose bytes have all been copied.
Status take_whole(Job& job, const FilterValue& value) {
  BLOOMERY_TRY(job.records.add(value.records()));
  job.whole.push_back({std::move(job.copy), value.newest().view(), value.newest().key_count()});
  ++job.source;
  job.copied = 0;
  return {};
}

// Copies bytes of the current source until `left` is used up. False when the thread has to take memory for it first.
Result<bool> copy_current(Context* context, Job& job, std::size_t& left) {
  const Source& source = job.sources[job.source];
  const Name name(source.key);
  const OpenedKey key(context, name.get(), kRead | kNoTouch);
  const FilterValue* const value = unchanged(key, source);
  if (value == nullptr) return changed();  // a key may expire whenever it is opened
  const std::span<const std::uint8_t> payload = value->payload(0);
  if (job.copy.empty()) {
    if (payload.size() > kSlice) {
      if (job.whole.empty()) work(job, [size = payload.size()](Job& mine) { return take_copy(mine, size); });
      return false;
    }
    job.copy = Bytes::take(payload.size());
    if (job.copy.empty()) return no_memory();
  }
  const std::size_t size = std::min(left, payload.size() - job.copied);
  std::memcpy(job.copy.data() + job.copied, payload.data() + job.copied, size);
  job.copied += size;
  left -= std::min(left, size + kOpening);
  if (job.copied == payload.size()) BLOOMERY_TRY(take_whole(job, *value));
  return true;
}

// Copies a slice, of several filters when they are small. The thread then combines those that are whole.
Status copy_slice(Context* context, Job& job) {
  for (std::size_t left = kSlice; left > 0 && job.source < job.sources.size();) {
    const Result<bool> copied = copy_current(context, job, left);
    BLOOMERY_TRY(copied);
    if (!*copied) break;
  }
  if (!job.whole.empty()) work(job, combine_copies);
  return {};
}

void replicate(Context* context, const Job& job) {
  std::vector<std::unique_ptr<Name>> names;
  std::vector<String*> strings;
  for (const std::string& argument : job.arguments) {
    names.push_back(std::make_unique<Name>(argument));
    strings.push_back(names.back()->get());
  }
  api.Replicate(context, job.merge ? "BLM.MERGE" : "BLM.INTERSECT", "v", strings.data(), strings.size());
}

// Puts the result in its place, when all filters are still what they were.
Status publish(Context* context, Job& job) {
  if (!is_unchanged(context, job)) return changed();
  const Name name(job.arguments[0]);
  const OpenedKey target(context, name.get(), kRead | kWrite);
  if (job.has_target) {
    // It may have expired since it was looked at. Replicas were told then, and would make another filter of the others.
    FilterValue* const value = unchanged(target, job.sources[0]);
    if (value == nullptr) return changed();
    const auto change = job.merge ? FilterValue::Change::more : FilterValue::Change::other;
    job.result = value->exchange(*std::move(job.result), change);  // what was there is freed with the job
    value->set_records(job.records.records());
  } else {
    Result<FilterValue::Pointer> created = FilterValue::create(*std::move(job.result), job.records.records(), {}, {});
    BLOOMERY_TRY(created);
    target.set(ValuePointer(created->release()));
  }
  replicate(context, job);
  api.SignalModifiedKey(context, name.get());
  api.NotifyKeyspaceEvent(context, kNotifyModule, job.merge ? "blm.merge" : "blm.intersect", name.get());
  return {};
}

// Goes a step further; true when the job has ended.
bool advance(Context* context, Job& job) {
  if (!job.status.ok()) return true;
  // A server that prepares a failover takes no writes: the job waits, and ends when the server has become a replica.
  if (api.AvoidReplicaTraffic != nullptr && api.AvoidReplicaTraffic() != 0) return false;
  api.SelectDb(context, job.database);
  if ((api.GetContextFlags(context) & kFlagReplica) != 0) {
    job.status = changed();
    return true;
  }
  if (job.source < job.sources.size()) {
    job.status = copy_slice(context, job);
    return !job.status.ok();
  }
  job.status = publish(context, job);
  return true;
}

void step(Context* context, void* data) {
  Job& job = *static_cast<Job*>(data);
  bool ended = false;
  if (!job.working.load(std::memory_order_acquire)) {
    if (job.worker.joinable()) job.worker.join();
    try {
      ended = advance(context, job);
    } catch (...) {
      job.status = Error{ErrorCode::out_of_memory, {}, {}, {}};
      ended = true;
    }
  }
  if (ended) api.UnblockClient(job.client, &job);
  else api.CreateTimer(context, kPauseMs, step, &job);
}

int reply(Context* context, String** arguments, int count) {
  const Job& job = *static_cast<const Job*>(api.GetBlockedClientPrivateData(context));
  const Call call{context, arguments, count};
  try {
    if (job.status.ok()) call.ok();
    else call.error(job.status.error());
  } catch (...) {
    call.error("ERR out of memory");
  }
  return kOk;
}

// What is left of a job is freed by a thread, which may have to wait for that of the job.
void free_job(Context*, void* data) {
  auto* const job = static_cast<Job*>(data);
  const auto end = [job] {
    if (job->worker.joinable()) job->worker.join();
    delete job;
  };
  try {
    std::thread(end).detach();
  } catch (...) {
    end();
  }
}

}  // namespace

void begin_combination(const Call& call, bool merge) {
  auto job = std::make_unique<Job>();
  job->database = api.GetSelectedDb(call.context);
  job->merge = merge;
  job->most = call.most_bytes();
  for (int i = 1; i < call.count; ++i) {
    job->arguments.emplace_back(call[i]);
    const OpenedKey key(call, i, kRead);
    const auto* const value = key.value<FilterValue>(ValueKind::filter);
    if (value == nullptr && i == 1) continue;
    if (value == nullptr) return call.error("ERR not found");
    job->sources.push_back({job->arguments.back(), value->id(), value->changes()});
    job->has_target = job->has_target || i == 1;
  }
  job->client = api.BlockClient(call.context, reply, nullptr, free_job, 0);
  api.CreateTimer(call.context, kPauseMs, step, job.release());
}

}  // namespace bloomery::server
