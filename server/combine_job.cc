#include "server/combine_job.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/filter_value.h"

namespace bloomery::server {

namespace {

constexpr std::size_t kSlice = std::size_t{2} << 20;  // copied in less than a millisecond
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
  std::optional<AnyFilter> result;
  Records records;

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

Status take_copy(Job& job, std::size_t size) {
  job.copy = Bytes::take_zeroed(size);  // its pages are in place then, and slices are copied fast
  return job.copy.empty() ? Status(Error{ErrorCode::out_of_memory, "Insufficient memory to create filter", {}, {}})
                          : Status();
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

Status combine_copy(Job& job, const AnyView& like, std::optional<std::uint64_t> key_count) {
  const Result<AnyView> view = view_like(like, job.copy.span());
  BLOOMERY_TRY(view);
  Result<AnyFilter> filter = AnyFilter::copy_of(*view, key_count, &server_memory);
  BLOOMERY_TRY(filter);
  job.copy = Bytes();
  if (job.result) return job.merge ? job.result->merge(*filter) : job.result->intersect(*filter);
  job.result = *std::move(filter);
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

// Copies a slice, or has the thread begin with what was copied.
Status copy_slice(Context* context, Job& job) {
  const Source& source = job.sources[job.source];
  const Name name(source.key);
  const OpenedKey key(context, name.get(), kRead | kNoTouch);
  const FilterValue& value = *unchanged(key, source);
  const std::span<const std::uint8_t> payload = value.payload(0);
  if (job.copy.empty()) {
    work(job, [size = payload.size()](Job& mine) { return take_copy(mine, size); });
    return {};
  }
  const std::size_t size = std::min(kSlice, payload.size() - job.copied);
  std::memcpy(job.copy.data() + job.copied, payload.data() + job.copied, size);
  job.copied += size;
  if (job.copied < payload.size()) return {};
  if (job.source == 0) {
    job.records = value.records();
  } else {
    Result<Records> both = Records::merged(job.records, value.records());
    BLOOMERY_TRY(both);
    job.records = *std::move(both);
  }
  ++job.source;
  job.copied = 0;
  work(job, [like = value.newest().view(), count = value.newest().key_count()](Job& mine) {
    return combine_copy(mine, like, count);
  });
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

// Puts the result in its place.
Status publish(Context* context, Job& job) {
  const Name name(job.arguments[0]);
  const OpenedKey target(context, name.get(), kRead | kWrite);
  if (auto* const value = target.value<FilterValue>(ValueKind::filter)) {
    const auto change = job.merge ? FilterValue::Change::more : FilterValue::Change::other;
    job.result = value->exchange(*std::move(job.result), change);  // what was there is freed with the job
    value->set_records(std::move(job.records));
  } else {
    Result<FilterValue::Pointer> created = FilterValue::create(*std::move(job.result), job.records, {}, {});
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
  if ((api.GetContextFlags(context) & kFlagReplica) != 0 || !is_unchanged(context, job)) {
    job.status =
        Error{ErrorCode::mismatch, "a filter of it has changed meanwhile, nothing was combined: ask again", {}, {}};
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
    if (value == nullptr) continue;  // the destination is not there; sources were looked at
    job->sources.push_back({job->arguments.back(), value->id(), value->changes()});
    job->has_target = job->has_target || i == 1;
  }
  job->client = api.BlockClient(call.context, reply, nullptr, free_job, 0);
  api.CreateTimer(call.context, kPauseMs, step, job.release());
}

}  // namespace bloomery::server
