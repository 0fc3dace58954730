// Files, bytes, and views over memory of the caller's.
#include <cstdlib>
#include <cstring>

#include "bloomery/file.h"

#include "capi/change.h"

namespace bloomery::capi {

Result<OpenOptions> checked_open(const bloomery_open_options* options) {
  bloomery_open_options all = BLOOMERY_OPEN_OPTIONS_INIT;
  BLOOMERY_TRY(take(options, all, "options"));
  OpenOptions open;
  if (all.secret != nullptr) open.secret = secret_of(all.secret);
  open.without_secret = all.without_secret;
  open.parquet = all.parquet;
  return open;
}

}  // namespace bloomery::capi

using namespace bloomery;
using namespace bloomery::capi;

namespace {

bloomery_filter* handle(bloomery_filter::Owner owner, const AnyView& view, bool answers_keys,
                        const FileInfo* info = nullptr) {
  std::unique_ptr<bloomery_filter> made(new bloomery_filter{{}, std::move(owner), view, answers_keys, false, {}, {}});
  if (info != nullptr) {
    made->info = *info;
    made->envelope = info->rewrite_options();
  }
  return made.release();
}

// How the filter shall be written.
struct Writing {
  Format format = Format::envelope;
  EnvelopeOptions envelope;
};

Result<Format> format_of(const char* name) {
  if (name == nullptr) return Format::envelope;
  for (const Format format : {Format::envelope, Format::raw, Format::parquet})
    if (std::strcmp(name, to_string(format)) == 0) return format;
  return Error{ErrorCode::invalid_argument,
               std::string("there is no format '") + name + "': use envelope, raw or parquet",
               {},
               "format"};
}

// Refuses what cannot be written, and a mapped file that is damaged.
Result<Writing> writing_of(const bloomery_filter& filter, const bloomery_save_options* options) {
  bloomery_save_options all = BLOOMERY_SAVE_OPTIONS_INIT;
  BLOOMERY_TRY(take(options, all, "options"));
  BLOOMERY_TRY(check_answers_keys(filter));
  const Result<Format> format = format_of(all.format);
  BLOOMERY_TRY(format);
  Writing writing{*format, filter.envelope};
  EnvelopeOptions& envelope = writing.envelope;
  if (all.label != nullptr) envelope.records.label = all.label;
  if (all.keys != nullptr) envelope.records.keys = all.keys;
  if (all.created != 0) envelope.records.created = all.created;
  envelope.chunks = envelope.chunks || all.chunks;
  if (all.chunk_bytes != 0) envelope.chunk_bytes = all.chunk_bytes;
  if (all.align != 0) {
    envelope.align = all.align;
    envelope.payload_offset = 0;
  }
  BLOOMERY_TRY(check_sound(filter));
  return writing;
}

Status encode_as(const bloomery_filter& filter, const Writing& writing, const Sink& sink) {
  if (writing.format == Format::envelope) return encode(filter.view, filter.key_count(), writing.envelope, sink);
  return encode(filter.view, writing.format, filter.key_count(), sink);
}

// kind, geometry and hash of a view over a bare payload.
struct PayloadShape {
  Kind kind;
  GeometryFields geometry;
  Hasher hasher;
};
Result<PayloadShape> shape_of(const char* kind, const bloomery_geometry* geometry, const bloomery_options* options) {
  BLOOMERY_C_NEEDS(geometry);
  const Result<Kind> known = kind_of(kind);
  BLOOMERY_TRY(known);
  Result<GeometryFields> fields = checked_fields(*geometry);
  BLOOMERY_TRY(fields);
  const Result<CheckedOptions> with = checked(options);
  BLOOMERY_TRY(with);
  return PayloadShape{*known, *std::move(fields), with->hasher.value_or(default_hasher(*known))};
}

// Calls use(shape, *filter) with a clean *filter, after the arguments were checked.
template <class Use>
bloomery_error* view_of(const char* kind, const bloomery_geometry* geometry, const bloomery_options* options,
                        const void* payload, bloomery_filter** filter, const Use& use) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    *filter = nullptr;
    BLOOMERY_C_NEEDS(payload);
    const Result<PayloadShape> shape = shape_of(kind, geometry, options);
    BLOOMERY_TRY(shape);
    return use(*shape);
  });
}

}  // namespace

bloomery_error* bloomery_filter_open(const char* path, const bloomery_open_options* options, bloomery_filter** filter) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    *filter = nullptr;
    BLOOMERY_C_NEEDS(path);
    const Result<OpenOptions> open = checked_open(options);
    BLOOMERY_TRY(open);
    Result<FilterFile> file = FilterFile::open(path, *open);
    BLOOMERY_TRY(file);
    const AnyView view = file->view();
    const FileInfo info = file->info();
    const bool answers_keys = file->answers_keys();
    *filter = handle(*std::move(file), view, answers_keys, &info);
    return {};
  });
}

bloomery_error* bloomery_filter_map(const char* path, const bloomery_open_options* options, bloomery_filter** filter) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    *filter = nullptr;
    BLOOMERY_C_NEEDS(path);
    const Result<OpenOptions> open = checked_open(options);
    BLOOMERY_TRY(open);
    Result<UnverifiedFile> file = UnverifiedFile::map(path, *open);
    BLOOMERY_TRY(file);
    const AnyView view = file->unverified_view();
    const FileInfo info = file->info();
    const bool answers_keys = file->answers_keys();
    *filter = handle(*std::move(file), view, answers_keys, &info);
    (*filter)->verified = false;
    return {};
  });
}

bloomery_error* bloomery_filter_decode(const void* bytes, size_t length, const bloomery_open_options* options,
                                       bloomery_filter** filter) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    *filter = nullptr;
    BLOOMERY_C_NEEDS(bytes);
    const Result<OpenOptions> open = checked_open(options);
    BLOOMERY_TRY(open);
    const Result<Decoded> decoded = decode({static_cast<const std::uint8_t*>(bytes), length}, *open);
    BLOOMERY_TRY(decoded);
    *filter = handle(Borrowed(), decoded->view, decoded->answers_keys, &decoded->info);
    return {};
  });
}

bloomery_error* bloomery_filter_verify(bloomery_filter* filter) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    const auto* const mapped = std::get_if<UnverifiedFile>(&filter->owner);
    if (mapped == nullptr) return {};
    BLOOMERY_TRY(mapped->verify_all());
    filter->verified = true;
    return {};
  });
}

bloomery_error* bloomery_filter_verify_range(const bloomery_filter* filter, uint64_t offset, uint64_t bytes) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    const auto* const mapped = std::get_if<UnverifiedFile>(&filter->owner);
    if (mapped == nullptr) return {};
    if (!filter->info->chunks)
      return Error{ErrorCode::unsupported,
                   "the file has no sums of chunks, so that a range cannot be verified: verify all of it, or save it "
                   "with chunks",
                   {},
                   "chunks"};
    return mapped->verify_range(offset, bytes);
  });
}

bool bloomery_filter_is_verified(const bloomery_filter* filter) { return filter != nullptr && filter->verified; }

bloomery_error* bloomery_filter_save(const bloomery_filter* filter, const char* path,
                                     const bloomery_save_options* options) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    BLOOMERY_C_NEEDS(path);
    const Result<Writing> writing = writing_of(*filter, options);
    BLOOMERY_TRY(writing);
    if (writing->format == Format::envelope) return save(path, filter->view, filter->key_count(), writing->envelope);
    return save(path, filter->view, writing->format, filter->key_count());
  });
}

bloomery_error* bloomery_filter_encode(const bloomery_filter* filter, const bloomery_save_options* options,
                                       void** bytes, size_t* length) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(bytes);
    *bytes = nullptr;
    BLOOMERY_C_NEEDS(length);
    *length = 0;
    BLOOMERY_C_NEEDS(filter);
    const Result<Writing> writing = writing_of(*filter, options);
    BLOOMERY_TRY(writing);
    std::vector<std::uint8_t> all;
    BLOOMERY_TRY(encode_as(*filter, *writing, [&](std::span<const std::uint8_t> some) -> Status {
      all.insert(all.end(), some.begin(), some.end());
      return {};
    }));
    *bytes = std::malloc(all.size());
    if (*bytes == nullptr) throw std::bad_alloc();
    std::memcpy(*bytes, all.data(), all.size());
    *length = all.size();
    return {};
  });
}

bloomery_error* bloomery_filter_encode_to(const bloomery_filter* filter, const bloomery_save_options* options,
                                          bloomery_sink sink, void* context) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    BLOOMERY_C_NEEDS(sink);
    const Result<Writing> writing = writing_of(*filter, options);
    BLOOMERY_TRY(writing);
    return encode_as(*filter, *writing, [&](std::span<const std::uint8_t> some) -> Status {
      const int answer = sink(some.data(), some.size(), context);
      if (answer == 0) return {};
      return Error{ErrorCode::io, "the sink refused the bytes with " + std::to_string(answer), {}, "sink"};
    });
  });
}

bloomery_error* bloomery_filter_view(const char* kind, const bloomery_geometry* geometry,
                                     const bloomery_options* options, const void* payload, size_t length,
                                     bloomery_filter** filter) {
  return view_of(kind, geometry, options, payload, filter, [&](const PayloadShape& shape) -> Status {
    const Result<AnyView> view = view_from_payload(shape.kind, {static_cast<const std::uint8_t*>(payload), length},
                                                   shape.geometry, shape.hasher);
    BLOOMERY_TRY(view);
    *filter = handle(Borrowed(), *view, true);
    return {};
  });
}

bloomery_error* bloomery_filter_mutable_view_create(const char* kind, const bloomery_geometry* geometry,
                                                    const bloomery_options* options, void* payload, size_t length,
                                                    bloomery_filter** filter) {
  return view_of(kind, geometry, options, payload, filter, [&](const PayloadShape& shape) -> Status {
    const Result<AnyMutableView> view =
        AnyMutableView::create(shape.kind, {static_cast<std::uint8_t*>(payload), length}, shape.geometry, shape.hasher);
    BLOOMERY_TRY(view);
    *filter = handle(*view, view->view(), true);
    return {};
  });
}

bloomery_error* bloomery_filter_mutable_view(const char* kind, const bloomery_geometry* geometry,
                                             const bloomery_options* options, void* payload, size_t length,
                                             bloomery_filter** filter) {
  return view_of(kind, geometry, options, payload, filter, [&](const PayloadShape& shape) -> Status {
    const Result<AnyMutableView> view = AnyMutableView::from_payload(
        shape.kind, {static_cast<std::uint8_t*>(payload), length}, shape.geometry, shape.hasher);
    BLOOMERY_TRY(view);
    *filter = handle(*view, view->view(), true);
    return {};
  });
}
