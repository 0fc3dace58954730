// What the server's administrator may set: as bloomery.NAME in the configuration, or by the old names as arguments of
// loadmodule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/hash.h"
#include "server/api.h"

namespace bloomery::server {

struct Config {
  double bf_error_rate = 0.01;
  long long bf_initial_size = 100;
  long long bf_expansion_factor = 2;
  long long cf_bucket_size = 2;
  long long cf_initial_size = 1024;
  long long cf_max_iterations = 20;
  long long cf_expansion_factor = 1;
  long long cf_max_expansions = 32;
  // The most payload bytes of one filter: 128 MiB, so that a slot of a cluster can still move.
  long long max_filter_bytes = 128LL << 20;
  // An import that nobody has gone on with for so long is given up.
  long long import_timeout_seconds = 3600;
  std::string secret_file;
  std::optional<Secret> secret;
};
extern Config config;

// Reads the arguments of loadmodule, then registers every setting and loads those of the configuration. Logs what is
// wrong and returns false.
bool load_config(Context* context, String** arguments, int count);

}  // namespace bloomery::server
