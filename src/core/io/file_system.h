// How an error names the file system that could not do what was asked.
#pragma once

#include <string>

#include "core/io/file.h"

namespace BLOOMERY_NAMESPACE::io {

// "nfs4 at /data", of the file system that a file is on; "the file system it is on" where the system does not tell.
std::string file_system_of(const File& file);

}  // namespace BLOOMERY_NAMESPACE::io
