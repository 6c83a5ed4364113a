// A hook that refuses texts with the word "spam":
// g++ -std=c++20 -o veto veto.cc -lcpp-httplib -lcrypto && SECRET=whsec_… ./veto 8080
#include <httplib.h>
#include <nlohmann/json.hpp>
#include "signature.h"

int main(int, char **arguments) {
  httplib::Server server;
  server.Post("/", [](const httplib::Request &request, httplib::Response &response) {
    if (!is_signed(request)) {
      response.status = 401;
      return;
    }
    auto asked = nlohmann::json::parse(request.body), answer = nlohmann::json::object();
    for (int index = 0; auto &item : asked["data"]["items"]) {
      if (item["texts"].dump().find("spam") != std::string::npos)
        answer["items"].push_back({{"index", index}, {"code", 38001}, {"info", "no spam"}});
      ++index;
    }
    response.set_content(answer.dump(), "application/json");
  });
  return server.listen("127.0.0.1", std::atoi(arguments[1])) ? 0 : 1;
}
