// The messages of spec/vectors/replica.json, which a program of its own has made from the specification.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "bloomery/replica/message.h"

namespace bloomery::replica {
namespace {

nlohmann::json vectors() {
  std::ifstream file(BLOOMERY_SOURCE_DIR "/spec/vectors/replica.json");
  return nlohmann::json::parse(file);
}

Bytes from_hex(const std::string& text) {
  Bytes bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

TEST(ReplicaGolden, every_message_is_read_and_written_again_byte_for_byte) {
  int rows = 0;
  const nlohmann::json all = vectors();
  for (const auto& row : all["valid"]) {
    std::optional<Secret> secret;
    if (!row["secret"].is_null()) secret = *Secret::from_hex(row["secret"].get<std::string>());
    const Bytes bytes = from_hex(row["hex"]);
    const Result<Message> message = parse(bytes, secret);
    ASSERT_TRUE(message.ok()) << row["name"] << ": " << message.error().to_string();
    const Result<Bytes> again = write(*message, secret);
    ASSERT_TRUE(again.ok()) << row["name"];
    EXPECT_EQ(*again == bytes, row["rewritten"].get<bool>()) << row["name"];
    EXPECT_EQ(message->header.origin, 7u);
    EXPECT_EQ(message->header.sequence, 41u);
    ++rows;
  }
  EXPECT_GE(rows, 30);
}

TEST(ReplicaGolden, what_is_no_message_is_refused_by_the_name_of_its_field) {
  int rows = 0;
  const nlohmann::json all = vectors();
  for (const auto& row : all["refused"]) {
    const Result<Message> message = parse(from_hex(row["hex"]));
    ASSERT_FALSE(message.ok()) << row["why"];
    EXPECT_EQ(message.error().field, row["field"].get<std::string>()) << row["why"] << ": " << message.error().message;
    EXPECT_FALSE(message.error().message.empty());
    ++rows;
  }
  EXPECT_GE(rows, 40);
}

}  // namespace
}  // namespace bloomery::replica
