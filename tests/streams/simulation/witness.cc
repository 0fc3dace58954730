#include "streams/simulation/witness.h"

#include "bloomery/detail/bits.h"

namespace bloomery::replica::sim {
namespace {

std::span<std::uint8_t> bytes_of(std::string& text) {
  return {reinterpret_cast<std::uint8_t*>(text.data()), text.size()};
}

// In an XADD the value of a field.
std::string* value_of(Command& words, std::string_view field) {
  for (std::size_t i = 3; i + 1 < words.size(); ++i)
    if (words[i] == field) return &words[i + 1];
  return nullptr;
}

void acknowledge_early(const Witness& witness, Command& words) {
  std::string* const text = value_of(words, kMessageField);
  auto message = text != nullptr ? parse(bytes_of(*text)) : Result<Message>(Error{});
  auto* const known = message.ok() ? std::get_if<Acknowledgement>(&message->body) : nullptr;
  if (known == nullptr) return;
  known->positions = witness.newest();
  const Bytes written = *write(*message);
  text->assign(written.begin(), written.end());
}

void take_position_late(EntryId last, Command& words) {
  constexpr std::size_t kHeader = 32;
  if (words[0] == "SET" && words[1].find(":part:") != std::string::npos) {
    const auto bytes = bytes_of(words[2]);
    const auto checkpoint = decode(bytes, lineage_of_simulation(), {});
    if (!checkpoint.ok()) return;  // one part of several
    const auto hello = bytes.subspan(kHeader, detail::load_le<std::uint32_t>(bytes.data() + 8));
    const Bytes written = encode(hello, last, checkpoint->snapshots, {});
    words[2].assign(written.begin(), written.end());
  } else if (words[0] == "EVAL") {
    const std::span arguments = std::span(words).subspan(3 + std::stoull(words[2]));
    arguments[2] = last.to_string();
    arguments[8] = seal_text("pointer " + arguments[1] + " " + arguments[2] + " " + arguments[4] + " " + arguments[5] +
                                 " " + arguments[0] + " " + arguments[7],
                             {});
  }
}

}  // namespace

void plant(Planted planted, const Witness& witness, EntryId last, const std::string& site, bool by_bridge,
           Command& words) {
  if (planted == Planted::early_acknowledgement && words[0] == "XADD" && !by_bridge) acknowledge_early(witness, words);
  if (planted == Planted::late_position) take_position_late(last, words);
  if (planted == Planted::endless_inbox && words[0] == "XADD" && words[2] == "MAXLEN") words[3] = "1000000";
  if (planted == Planted::echo && words[0] == "XADD" && by_bridge)
    if (std::string* const from = value_of(words, kSiteField)) *from = site;
}

}  // namespace bloomery::replica::sim
