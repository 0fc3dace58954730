#include "cli/topics.h"

#include <array>

#include "bloomery/any.h"
#include "cli/choose.h"

namespace bloomery::cli {
namespace {

// A line a kind, from the one list of kinds.
std::string kinds_text() {
  std::string text;
  for (const Kind kind : kAllKinds) {
    const std::string name = to_string(kind);
    text += "  " + name + std::string(14 - name.size(), ' ') + when_to_pick(kind) + "\n";
  }
  return text;
}

std::array<Topic, 6> all_topics() {
  return {{
      {"keys", "Keys",
       "A filter stands for a set of keys in about ten bits each. It tells keys that are definitely absent from keys "
       "that may be present; it never denies a key that was added, and takes an absent key for present at a rate "
       "chosen "
       "when it is built.\n\n"
       "A key is a line without its line feed: carriage returns are kept, an empty line is the empty key, the last "
       "line "
       "needs no line feed. With -0 keys end in NUL, in input and output. KEYS is a file; standard input when none is "
       "given, or -.\n\n"
       "With --keys int, hex or base64 a line spells a key: a whole number (8 bytes, little-endian), an even number of "
       "hexadecimal digits, or base64. build then says so in the file, and query, add and remove need no --keys."},
      {"choosing", "Choosing a kind",
       "block unless a line below says otherwise; 'bloomery plan -n N' compares them at your numbers.\n\n" +
           kinds_text() +
           "  iblt          no filter: lists the keys in which two sets differ\n\n"
           "To count different keys or how often each comes, for quantiles, or for values by key, no filter is right."},
      {"formats", "Formats",
       "A filter is written as an envelope (.blm): kind, geometry, hash and key count with checksums before the bits. "
       "Classic alone has a raw file too (.bloom), a page of code in any language, without checksums; build writes "
       "that "
       "unless --envelope is given, and convert turns one into the other.\n\n"
       "With --parquet a file is a split filter as it stands in a Parquet column: Thrift header and bits. build rounds "
       "its size up to a power of two from 32 bytes to 128 MiB; --key-type says what a key line is: bytes (default), "
       "or "
       "a decimal number whose value in PLAIN encoding is hashed.\n\n"
       "The secret of siphash13 and siphash24 is a file of 32 hexadecimal digits. A filter stores an identifier of it, "
       "never the secret.\n\n"
       "A table (.blt) is a sorted file of keys and values with a filter in front."},
      {"numbers", "Numbers",
       "Counts are whole numbers: 1000, 10M or 2.5k, with a suffix k, M or G for 10^3, 10^6 or 10^9, or 1e9 with an "
       "exponent. A rate is a decimal number between 0 and 1. A seed is decimal or 0x hexadecimal."},
      {"files", "Files",
       "A file that is written appears whole or not at all, and is never one that is only read: keys or a secret. A "
       "symbolic link to it stays one. A file that is replaced keeps its mode, owner and group. Commands that replace "
       "a "
       "file take turns: each holds a lock (flock) of it, and waits while another one does.\n\n"
       "With --no-verify query maps the file: replace such a file by rename, never write in place; who cuts it ends "
       "the "
       "command by SIGBUS."},
      {"exit-status", "Exit status",
       "0 yes or done; 1 no (some key absent, a file damaged); 2 error, with one line on standard error. That the line "
       "about a file that was written cannot be printed is no error."},
  }};
}

}  // namespace

std::span<const Topic> topics() {
  static const std::array<Topic, 6> all = all_topics();
  return all;
}

}  // namespace bloomery::cli
