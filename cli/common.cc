#include <fmt/format.h>

#include "bench/machine.h"
#include "cli/cli.h"
#include "cli/growth.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/output.h"
#include "core/base/error.h"
#include "core/io/file.h"

namespace bloomery::cli {
namespace {

Result<Secret> read_secret(const std::string& path) {
  Result<io::File> file = io::File::open_read(path);
  BLOOMERY_TRY(file);
  std::string text(64, '\0');  // longer than any secret: what does not fit is wrong anyway
  Result<std::size_t> got = file->read_some({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  BLOOMERY_TRY(got);
  text.resize(*got);
  Result<Secret> secret = Secret::from_hex(text);
  if (!secret.ok()) return in_file(std::move(secret).error(), path);
  return secret;
}

// File names may hold anything, control characters included.
std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else out += c;
  }
  return out;
}

std::string g_help_of;         // the command that runs
bool g_takes_parquet = false;  // whether it has the option --parquet

// The library names fields and classes; what to type is the command's to say.
std::string hint_for(const Error& error) {
  if (error.code == ErrorCode::wrong_secret) return "; give --secret FILE";
  if (error.code == ErrorCode::out_of_memory && error.message == "out of memory") {
    const std::uint64_t available = bench::available_memory();
    const std::string left = available == 0 ? "" : fmt::format("{}B are available; ", rounded(available, " "));
    return ": " + left + "end other programs, or ask for less";
  }
  if (error.message.find("OpenOptions::parquet") != std::string::npos) {
    if (error.code != ErrorCode::unsupported) return "; leave out --parquet";
    if (g_takes_parquet) return "; give --parquet";
    return "; '" + g_help_of + "' takes none, query, add, inspect and verify do with --parquet";
  }
  if (error.code == ErrorCode::unsupported && error.message.find("iblt") != std::string::npos)
    return "; 'bloomery build --kind iblt' makes one of keys, 'bloomery set-diff' compares two";
  // No file is to blame, so an option is.
  const bool of_an_option = error.code == ErrorCode::invalid_argument && error.file.empty();
  if (of_an_option && !g_help_of.empty() && !error.message.ends_with(" --help'"))
    return ": see '" + g_help_of + " --help'";
  return {};
}

}  // namespace

void set_running(const Command& command) {
  g_help_of = command.path();
  g_takes_parquet = command.find_option("--parquet") != nullptr;
}

int fail(const Error& error) {
  tell(fitted(fmt::format("{} {}\n", tinted(Tint::error, "bloomery:", Stream::error),
                          one_line(error.to_string() + hint_for(error))),
              Stream::error));
  return kError;
}

Error named_memory(Error error, const std::string& what, std::uint64_t bytes, const std::string& mend) {
  if (error.code != ErrorCode::out_of_memory) return error;
  const std::uint64_t available = bench::available_memory();
  error.message = fmt::format("out of memory for {}, which takes {} bytes ({}B)", what, bytes, rounded(bytes, " "));
  if (available != 0) error.message += fmt::format("; {}B are available", rounded(available, " "));
  error.message += ": " + mend;
  return error;
}

int exit_status(const Status& done) { return done.ok() ? kYes : fail(done.error()); }
int exit_status(const Result<bool>& done) { return !done.ok() ? fail(done.error()) : *done ? kYes : kNo; }

void warn(const std::string& message) {
  tell(fitted(fmt::format("bloomery: {} {}\n", tinted(Tint::warning, "warning:", Stream::error), one_line(message)),
              Stream::error));
}

int report_verdict(const std::string& path, const Status& found, const std::string& sound, bool json) {
  const bool no =
      !found.ok() && (found.error().code == ErrorCode::corrupt || found.error().code == ErrorCode::unsupported);
  if (json)
    fmt::print("{}\n", JsonObject()
                           .put("file", path)
                           .put("sound", found.ok() ? Json(true)
                                         : no       ? Json(false)
                                                    : Json())
                           .put("verdict", found.ok() ? sound : found.error().message)
                           .text());
  else if (found.ok()) fmt::print("{}", fitted(fmt::format("{}: {}\n", path, sound)));
  if (!found.ok() && !json) fail(found.error());
  return found.ok() ? kYes : no ? kNo : kError;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names = {to_string(Kind::block)};
  for (const Kind kind : kAllKinds)
    if (kind != Kind::block) names.emplace_back(to_string(kind));
  return names;
}

std::vector<std::string> hash_names() {
  std::vector<std::string> names;
  for (const HashId id : {HashId::fnv_splitmix, HashId::xxh3, HashId::xxh64, HashId::siphash13, HashId::siphash24})
    names.emplace_back(to_string(id));
  return names;
}

namespace {

// What the library says of a name that there is not, as an error of an option, with the name that is nearly the same.
Error no_such_name(Error error, const std::string& name, std::span<const std::string> names) {
  error.code = ErrorCode::invalid_argument;
  const std::string quoted = "'" + name + "'";
  if (const std::size_t at = error.message.find(quoted); at != std::string::npos)
    error.message.insert(at + quoted.size(), suggestion(name, names));
  return error;
}

}  // namespace

Result<Kind> parse_kind(const std::string& name) {
  Result<Kind> kind = kind_from_name(name);
  return kind.ok() ? kind : Result<Kind>(no_such_name(kind.error(), name, kind_names()));
}

void HashOptions::add_to(Command& command, const char* hash_help) {
  command.option("--hash", "H", &hash, hash_help).choices(hash_names());
  command.option("--seed", "S", &seed, "Seed of xxh3 or xxh64, decimal or 0x hexadecimal (default 0)");
  command.option("--secret", "FILE", &secret_file, "File with the 32 hexadecimal digits siphash13 and siphash24 need");
}

Result<Hasher> HashOptions::hasher(HashId fallback) const {
  Result<HashId> id = hash.empty() ? Result<HashId>(fallback) : hash_id_from_name(hash);
  if (!id.ok()) return no_such_name(id.error(), hash, hash_names());
  if (!seed.empty() && !takes_seed(*id))
    return invalid_argument("seed", fmt::format("--seed is for xxh3 and xxh64; {} takes none", to_string(*id)));
  if (secret_file.empty() != !takes_secret(*id))
    return invalid_argument(
        "secret", takes_secret(*id)
                      ? fmt::format("{} needs a secret: give --secret FILE", to_string(*id))
                      : fmt::format("--secret is for siphash13 and siphash24; {} takes none", to_string(*id)));
  Result<std::uint64_t> number = parse_seed(seed.empty() ? "0" : seed);
  BLOOMERY_TRY(number);
  if (*id == HashId::xxh3) return Hasher::xxh3(*number);
  if (*id == HashId::xxh64) return Hasher::xxh64(*number);
  if (*id == HashId::fnv_splitmix) return Hasher::fnv_splitmix();
  Result<Secret> secret = read_secret(secret_file);
  BLOOMERY_TRY(secret);
  return *id == HashId::siphash13 ? Hasher::siphash13(*secret) : Hasher::siphash24(*secret);
}

void SecretOption::add_to(Command& command) {
  command.option("--secret", "FILE", &file, "File with the secret of a keyed filter: 32 hexadecimal digits");
}

Result<OpenOptions> SecretOption::open_options() const {
  OpenOptions options;
  if (file.empty()) return options;
  Result<Secret> secret = read_secret(file);
  BLOOMERY_TRY(secret);
  options.secret = *secret;
  return options;
}

std::string four_digits(double value) { return fmt::format("{:.4g}", value); }

std::string json_real(double value) {
  const std::string text = four_digits(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string hex64(std::uint64_t value) { return fmt::format("0x{:016x}", value); }

}  // namespace bloomery::cli
