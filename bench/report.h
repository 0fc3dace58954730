// What a run found, beside its tables: the verdict on each bar, and every figure for those who ask for JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bloomery::bench {

class Report {
 public:
  // One measured value. The unit is "ns", "bits" or "rate"; a value of 0 was not measured and is left out.
  void figure(const std::string& question, std::uint64_t n, const std::string& operation, const std::string& who,
              double value, const std::string& unit = "ns");

  // One bar: a sentence that holds the value, its limit and its ceiling.
  void bar(bool met, const std::string& sentence);
  // One bar that can be compared between runs (bars.py): `what` takes `ratio` times the time of `of`, and `most` times
  // at most. `beside` is what else the sentence should say.
  void bar(const std::string& what, double ratio, double most, const std::string& of, const std::string& beside = "");
  // An answer that cannot be right: a missed bar, and the program exits with 1.
  void wrong_answer(const std::string& sentence);
  bool has_wrong_answers() const { return has_wrong_answers_; }
  // A bar that this run did not measure, and why.
  void no_bar(const std::string& sentence);

  void print_bars() const;
  // False, with the reason in errno, when the file cannot be written.
  bool write_json(const std::string& path) const;

 private:
  struct Figure {
    std::string question, operation, who, unit;
    std::uint64_t n;
    double value;
  };
  struct Bar {
    std::string verdict, sentence;
    std::string what = {};  // empty: it has no ratio
    double ratio = 0, most = 0;
  };
  std::vector<Figure> figures_;
  std::vector<Bar> bars_;
  bool has_wrong_answers_ = false;
};

}  // namespace bloomery::bench
