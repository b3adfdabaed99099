#include "cli/readable.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

#include "base/utf8.hpp"
#include "cli/output.hpp"

namespace transmuter::cli {
namespace {

constexpr std::size_t kTextWidth = 56;

// The first part of an input or a label on one line, without what a terminal would act on.
std::string title(const Json& input, std::size_t width = kTextWidth) {
  std::string text = input.is_string() ? input.as<std::string>() : input.dump();
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  if (code_points(text) <= width) return text;
  return std::string(first_code_points(text, width - 1)) + "…";
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return ab / std::max(std::sqrt(aa * bb), 1e-12);
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// A tensor that --save wrote: where it lies and its shape.
bool is_saved(const Json& result) { return result.find("embedding.npy").has_value(); }

std::string one_embedding(const Json& input, const Json& result) {
  if (is_saved(result)) {
    return fmt::format("{}\n  {}, shape {}\n", title(input), result.get<std::string>("embedding.npy"),
                       result.get("embedding.shape").dump());
  }
  const auto rows = result.get("embedding").elements();
  if (!rows.empty() && rows.front().is_array()) {
    return fmt::format("{}\n  {} of {}\n", title(input), counted(rows.size(), "token"),
                       counted(rows.front().size(), "dimension"));
  }
  std::string line = fmt::format("{}\n  {}: ", title(input), counted(rows.size(), "dimension"));
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 6); ++i)
    line += fmt::format("{:.4f} ", rows[i].as<float>());
  return line + (rows.size() > 6 ? "…\n" : "\n");
}

std::string embeddings(const std::vector<Json>& inputs, const std::vector<Json>& results) {
  constexpr std::size_t kMostInTable = 12;
  const auto is_vector = [](const Json& result) {
    if (is_saved(result)) return false;
    const auto rows = result.get("embedding").elements();
    return !rows.empty() && !rows.front().is_array();
  };
  std::string out;
  if (results.size() < 2 || results.size() > kMostInTable || !std::ranges::all_of(results, is_vector)) {
    for (std::size_t i = 0; i < results.size(); ++i) out += one_embedding(inputs[i], results[i]);
    return out;
  }
  std::vector<std::vector<float>> vectors;
  std::size_t width = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    vectors.push_back(results[i].get<std::vector<float>>("embedding"));
    width = std::max(width, code_points(title(inputs[i])));
  }
  out += fmt::format("{} texts, {} each. Cosine similarity (1 is the same meaning):\n\n{}", vectors.size(),
                     counted(vectors.front().size(), "dimension"), std::string(width + 5, ' '));
  for (std::size_t i = 0; i < vectors.size(); ++i) out += fmt::format("{:>7}", i + 1);
  out += '\n';
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    out += fmt::format("{:>3}  {}", i + 1, padded(title(inputs[i]), width));
    for (const auto& other : vectors) out += fmt::format("{:>7.2f}", cosine(vectors[i], other));
    out += '\n';
  }
  return out;
}

// Names with scores, each with a bar where the score is a probability.
std::string scored(const std::vector<Json>& rows, const std::function<std::string(const Json&)>& name) {
  constexpr double kBar = 24;
  std::string out;
  std::size_t width = 0;
  for (const Json& row : rows) width = std::max(width, code_points(name(row)));
  for (const Json& row : rows) {
    const auto score = row.get<double>("score");
    std::string bar;
    if (score >= 0 && score <= 1) {
      for (int step = 0; step < static_cast<int>(std::lround(score * kBar)); ++step) bar += "█";
    }
    out += fmt::format("  {}  {:>8.4f}  {}\n", padded(name(row), width), score, bar);
  }
  return out;
}

std::string predictions(const std::vector<Json>& inputs, const std::vector<Json>& results) {
  const auto name = [](const Json& row) { return title(row.find("label") ? row.get("label") : row.get("token")); };
  std::string out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    out += title(inputs[i]) + '\n';
    const auto rows = results[i].get("predictions").elements();
    if (rows.empty() || !rows.front().is_array()) {
      out += scored(rows, name);
      continue;
    }
    for (std::size_t mask = 0; mask < rows.size(); ++mask) {
      out += fmt::format(" mask {}\n", mask + 1) + scored(rows[mask].elements(), name);
    }
  }
  return out;
}

std::string rankings(const std::vector<Json>& inputs, const std::vector<Json>& results) {
  std::string out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto documents = inputs[i].get("documents").elements();
    out += title(inputs[i].get("query")) + '\n';
    out += scored(results[i].get("results").elements(), [&](const Json& row) {
      const auto index = row.get<std::size_t>("index");
      return fmt::format("{:>3}  {}", index, title(documents.at(index)));
    });
  }
  return out;
}

std::string answers(const std::vector<Json>& inputs, const std::vector<Json>& results) {
  std::string out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    out += title(inputs[i].get("question")) + '\n';
    const auto rows = results[i].get("results").elements();
    for (const Json& row : rows) {
      const std::string text = title(row.get("text"));
      out += fmt::format("  {:>8.4f}  {}  ({} to {})\n", row.get<double>("score"), text.empty() ? "no answer" : text,
                         row.get<std::size_t>("start"), row.get<std::size_t>("end"));
    }
    if (rows.empty()) out += "  no answer\n";
  }
  return out;
}

std::string entities(const std::vector<Json>& inputs, const std::vector<Json>& results) {
  std::string out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    out += title(inputs[i].find("text").value_or(inputs[i])) + '\n';
    const auto rows = results[i].get("entities").elements();
    std::size_t label = 0;
    std::size_t phrase = 0;
    for (const Json& row : rows) {
      label = std::max(label, code_points(title(row.get("label"))));
      phrase = std::max(phrase, code_points(title(row.get("phrase"))));
    }
    for (const Json& row : rows) {
      out += fmt::format("  {}  {}  {:>8.4f}  ({} to {})\n", padded(title(row.get("label")), label),
                         padded(title(row.get("phrase")), phrase), row.get<double>("score"),
                         row.get<std::size_t>("start"), row.get<std::size_t>("end"));
    }
    if (rows.empty()) out += "  none\n";
  }
  return out;
}

struct View {
  std::string_view key;    // what a result of this kind has
  std::string_view input;  // what its input has, when the key does not tell
  std::string (*show)(const std::vector<Json>&, const std::vector<Json>&);
};
constexpr View kViews[] = {{"embedding", "", embeddings},
                           {"predictions", "", predictions},
                           {"results", "documents", rankings},
                           {"results", "question", answers},
                           {"entities", "", entities}};

}  // namespace

std::string readable(const std::vector<Json>& inputs, const std::vector<Json>& results) {
  if (results.empty()) return {};
  for (const View& view : kViews) {
    if (results.front().find(view.key) && (view.input.empty() || inputs.front().find(view.input))) {
      return view.show(inputs, results);
    }
  }
  std::string out;
  for (const Json& result : results) out += result.dump(2) + '\n';
  return out;
}

}  // namespace transmuter::cli
