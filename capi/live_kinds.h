// The three kinds that threads share, for the handles of live and rotating filters.
#pragma once

#include <type_traits>

#include "capi/handles.h"

namespace bloomery::capi {

// Calls use(std::type_identity<Filter>) of the kind.
template <class Use>
Status with_shared_kind(const char* name, const Use& use) {
  const Result<Kind> kind = kind_of(name);
  BLOOMERY_TRY(kind);
  if (*kind == Kind::block) return use(std::type_identity<BlockFilter>());
  if (*kind == Kind::split) return use(std::type_identity<SplitFilter>());
  if (*kind == Kind::classic) return use(std::type_identity<ClassicFilter>());
  return Error{
      ErrorCode::unsupported,
      std::string("there are no live filters of the kind ") + to_string(*kind) + ": use block, split or classic",
      {},
      "kind"};
}

}  // namespace bloomery::capi
