#include "server/api.h"

namespace bloomery::server {

Api api;

const char* fetch_api(Context* context) noexcept {
  using GetApi = int (*)(const char*, void*);
  const auto get = *reinterpret_cast<GetApi*>(context);
#define BLOOMERY_SERVER_FETCH(type, name, arguments) \
  if (get("RedisModule_" #name, &api.name) != kOk || api.name == nullptr) return #name;
  BLOOMERY_SERVER_API(BLOOMERY_SERVER_FETCH)
#undef BLOOMERY_SERVER_FETCH
#define BLOOMERY_SERVER_FETCH(type, name, arguments) \
  if (get("RedisModule_" #name, &api.name) != kOk) api.name = nullptr;
  BLOOMERY_SERVER_OPTIONAL_API(BLOOMERY_SERVER_FETCH)
#undef BLOOMERY_SERVER_FETCH
  return nullptr;
}

}  // namespace bloomery::server
