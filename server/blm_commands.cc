#include "server/call.h"
namespace bloomery::server {
std::span<const CommandRow> blm_commands() { return {}; }
}
