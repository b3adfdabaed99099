#include "hub/digest.hpp"

#include <array>
#include <fmt/format.h>
#include <iterator>
#include <openssl/evp.h>

#include "base/error.hpp"
#include "hub/names.hpp"

namespace transmuter {
namespace {

void check(int ok) {
  if (ok != 1) fail(ErrorCode::Internal, "libcrypto does not compute a hash");
}

}  // namespace

void Digest::Free::operator()(void* context) const noexcept { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context)); }

Digest::Digest(const char* algorithm) : context_(EVP_MD_CTX_new()) {
  check(EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_.get()), EVP_get_digestbyname(algorithm), nullptr));
}

std::optional<Digest> Digest::of_etag(std::string_view etag, std::uint64_t size) {
  constexpr std::size_t kSha256Digits = 64;
  constexpr std::size_t kSha1Digits = 40;
  if (is_hexadecimal(etag, kSha256Digits)) return Digest("SHA256");
  if (!is_hexadecimal(etag, kSha1Digits)) return std::nullopt;
  Digest digest("SHA1");
  const std::string header = fmt::format("blob {}", size);
  digest.add({header.c_str(), header.size() + 1});  // git hashes the NUL too
  return digest;
}

void Digest::add(std::span<const char> bytes) {
  check(EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_.get()), bytes.data(), bytes.size()));
}

std::string Digest::hexadecimal() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_.get()), bytes.data(), &size));
  std::string text;
  for (unsigned int i = 0; i < size; ++i) fmt::format_to(std::back_inserter(text), "{:02x}", bytes[i]);
  return text;
}

}  // namespace transmuter
