// Golden data of spec/vectors for the tests, and the size they run at.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace bloomery::testing {

inline nlohmann::json vectors(const std::string& name) {
  std::ifstream in(std::string(BLOOMERY_SOURCE_DIR) + "/spec/vectors/" + name + ".json");
  if (!in) throw std::runtime_error("no spec/vectors/" + name + ".json");
  return nlohmann::json::parse(in);
}

// One section, by value: `for (row : vectors(name)[section])` would walk through a temporary that is gone.
inline nlohmann::json vectors(const std::string& name, const std::string& section) {
  nlohmann::json rows = vectors(name).at(section);
  if (rows.empty()) throw std::runtime_error(name + ".json: " + section + " is empty");
  return rows;
}

inline std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

inline std::vector<std::uint8_t> bytes_from_hex(const std::string& hex) {
  const std::string bytes = from_hex(hex);
  return {bytes.begin(), bytes.end()};
}

inline std::uint64_t u64_from_hex(const std::string& hex) { return std::stoull(hex, nullptr, 16); }

// `make soak` runs the tests at the full counts, `make test` at modest ones.
inline bool soak() { return std::getenv("BLOOMERY_SOAK") != nullptr; }
template <class T>
T scaled(T modest, T full) {
  return soak() ? full : modest;
}

}  // namespace bloomery::testing
