// The signatures of Standard Webhooks, for the requests of cpp-httplib.
#include <httplib.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>

// Whether one of a request's signatures is made with SECRET, which is `whsec_` and base64.
inline bool is_signed(const httplib::Request &request) {
  const std::string secret = std::getenv("SECRET");
  // HMAC fills a shorter key up to 64 bytes with zeros, and a secret has 64 at most.
  unsigned char key[96] = {}, code[32], text[45];
  EVP_DecodeBlock(key, (const unsigned char *)secret.data() + 6, std::min(secret.size() - 6, 128ul));
  auto field = [&](const char *name) { return request.get_header_value(name); };
  auto all = field("webhook-id") + "." + field("webhook-timestamp") + "." + request.body;
  HMAC(EVP_sha256(), key, 64, (const unsigned char *)all.data(), all.size(), code, nullptr);
  EVP_EncodeBlock(text, code, sizeof code);
  // Each signature is `v1,` and 44 letters, and a space stands between two.
  bool is_good = false;
  const auto given = field("webhook-signature");
  for (size_t at = 3; at + 44 <= given.size(); at += 48)
    is_good |= CRYPTO_memcmp(&given[at], text, 44) == 0;
  return is_good;
}
