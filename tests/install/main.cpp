#include <cstdio>
#include <transmuter/transmuter.hpp>

int main() {
  const auto serving = transmuter::text::text_embedding(transmuter::builtin_model());
  const auto embedding = serving.run("The cat sat on the mat.").embedding;
  std::printf("%zu dimensions\n", embedding.values.size());
  return embedding.values.size() == 384 ? 0 : 1;
}
