// Writing a file: what it may not replace, and the lock under which it replaces another.
#pragma once

#include <span>
#include <string>

#include "bloomery/result.h"
#include "cli/signals.h"
#include "core/io/lock.h"

namespace bloomery::cli {

// Refuses an output that is, by whatever name, a file of keys that is read (standard input for "-", and
// when there is none).
Status refuse_keys_as_output(std::span<const std::string> keys, const std::string& output);
// Refuses an output that is the file of the secret; "" means that there is no secret.
Status refuse_secret_as_output(const std::string& secret, const std::string& output);

// Calls write() under the lock of the file that it replaces. Signals end the wait for the lock, and then wait in turn.
template <class Write>
Status replace(const std::string& output, Write write) {
  const Result<io::FileLock> lock = io::FileLock::take(output);
  BLOOMERY_TRY(lock);
  const SignalsWait wait;
  return write();
}

}  // namespace bloomery::cli
