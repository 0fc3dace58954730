// Stands in for tables in a build without them: every function refuses, and questions are answered "maybe".
#include "capi/handles.h"

namespace {

bloomery_error* refused() {
  return bloomery::capi::returning([]() -> bloomery::Status {
    return bloomery::Error{
        bloomery::ErrorCode::unsupported, "this build has no tables: configure it with -DBLOOMERY_TABLE=ON", {}, {}};
  });
}

template <class T>
bloomery_error* refuse(T** out) {
  if (out != nullptr) *out = nullptr;
  return refused();
}

}  // namespace

bloomery_error* bloomery_table_builder_create(const char*, const bloomery_table_options*,
                                              bloomery_table_builder** builder) {
  return refuse(builder);
}
bloomery_error* bloomery_table_builder_add(bloomery_table_builder*, const void*, size_t, const void*, size_t,
                                           uint64_t) {
  return refused();
}
bloomery_error* bloomery_table_builder_add_deleted(bloomery_table_builder*, const void*, size_t, uint64_t) {
  return refused();
}
bloomery_error* bloomery_table_builder_finish(bloomery_table_builder*, bloomery_table_properties*) { return refused(); }
void bloomery_table_builder_free(bloomery_table_builder*) {}
bloomery_error* bloomery_block_cache_create(uint64_t, bloomery_block_cache** cache) { return refuse(cache); }
void bloomery_block_cache_free(bloomery_block_cache*) {}
bloomery_error* bloomery_table_open(const char*, const bloomery_table_read_options*, bloomery_table** table) {
  return refuse(table);
}
void bloomery_table_free(bloomery_table*) {}
bloomery_error* bloomery_table_get(const bloomery_table*, const void*, size_t, bloomery_lookup*) { return refused(); }
bloomery_error* bloomery_table_multi_get(const bloomery_table*, const bloomery_keys*, bloomery_lookup*, size_t) {
  return refused();
}
bool bloomery_table_may_contain(const bloomery_table*, const void*, size_t) { return true; }
bool bloomery_table_may_contain_prefix(const bloomery_table*, const void*, size_t) { return true; }
bloomery_error* bloomery_table_verify(const bloomery_table*) { return refused(); }
bloomery_error* bloomery_table_get_properties(const bloomery_table*, bloomery_table_properties*) { return refused(); }
bloomery_error* bloomery_table_prometheus(const bloomery_table*, const char*, char** text) { return refuse(text); }
bloomery_error* bloomery_table_json(const bloomery_table*, const char*, char** text) { return refuse(text); }
bloomery_error* bloomery_table_iterate(const bloomery_table*, bloomery_table_iterator** iterator) {
  return refuse(iterator);
}
void bloomery_table_iterator_free(bloomery_table_iterator*) {}
void bloomery_table_iterator_first(bloomery_table_iterator*) {}
void bloomery_table_iterator_last(bloomery_table_iterator*) {}
void bloomery_table_iterator_next(bloomery_table_iterator*) {}
void bloomery_table_iterator_previous(bloomery_table_iterator*) {}
void bloomery_table_iterator_seek(bloomery_table_iterator*, const void*, size_t) {}
void bloomery_table_iterator_seek_prefix(bloomery_table_iterator*, const void*, size_t) {}
bool bloomery_table_iterator_valid(const bloomery_table_iterator*) { return false; }
bloomery_error* bloomery_table_iterator_status(const bloomery_table_iterator*) { return refused(); }
bloomery_entry bloomery_table_iterator_entry(const bloomery_table_iterator*) { return {}; }
bloomery_error* bloomery_table_refilter(const bloomery_table*, const char*, const bloomery_table_options*,
                                        bloomery_table_properties*) {
  return refused();
}
bloomery_error* bloomery_table_compact(const bloomery_table* const*, size_t, const char*,
                                       const bloomery_compact_options*, bloomery_table_properties*) {
  return refused();
}
