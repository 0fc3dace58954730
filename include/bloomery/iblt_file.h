// IBLTs and strata estimators in files: the envelope of every kind, with checksums (spec/envelope.md, spec/iblt.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bloomery/export.h"
#include "bloomery/file.h"
#include "bloomery/iblt.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// The contents of a file, all verified. It owns them.
struct IbltFile {
  FileInfo info;
  std::variant<Iblt, StrataEstimator> contents;
  // False when the file was opened without_secret: its numbers can be read, but it must not be listed or added to.
  bool answers_keys = true;

  Iblt* table() { return std::get_if<Iblt>(&contents); }  // or nullptr
  const Iblt* table() const { return std::get_if<Iblt>(&contents); }
  StrataEstimator* estimator() { return std::get_if<StrataEstimator>(&contents); }
  const StrataEstimator* estimator() const { return std::get_if<StrataEstimator>(&contents); }
  BLOOMERY_API const IbltGeometry& geometry() const;
};

BLOOMERY_API Result<IbltFile> decode_iblt(std::span<const std::uint8_t> bytes, const OpenOptions& options = {});
BLOOMERY_API Result<IbltFile> open_iblt(const std::string& path, const OpenOptions& options = {});

BLOOMERY_API Result<std::vector<std::uint8_t>> encode(const Iblt& table, const EnvelopeOptions& options = {});
BLOOMERY_API Result<std::vector<std::uint8_t>> encode(const StrataEstimator& estimator,
                                                      const EnvelopeOptions& options = {});
// Write a file, which appears whole or not at all.
BLOOMERY_API Status save(const std::string& path, const Iblt& table, const EnvelopeOptions& options = {});
BLOOMERY_API Status save(const std::string& path, const StrataEstimator& estimator,
                         const EnvelopeOptions& options = {});

}  // namespace BLOOMERY_NAMESPACE
