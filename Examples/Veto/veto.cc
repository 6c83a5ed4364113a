// A hook that refuses texts with the word "spam": g++ -o veto veto.cc && ./veto 8080
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cctype>
#include <cstdlib>
#include <string>

int main(int, char **arguments) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(std::atoi(arguments[1]));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, (sockaddr *)&address, sizeof address) || listen(listener, 64)) return 1;
  for (int peer; (peer = accept(listener, nullptr, nullptr)) >= 0; close(peer)) {
    std::string asked;
    char buffer[65536];
    size_t head, length;
    for (ssize_t count; (count = read(peer, buffer, sizeof buffer)) > 0;) {
      asked.append(buffer, count);
      if ((head = asked.find("\r\n\r\n")) == std::string::npos) continue;
      for (size_t at = 0; at < head; ++at) asked[at] = std::tolower(asked[at]);
      length = std::strtoul(asked.c_str() + asked.find("content-length:") + 15, nullptr, 10);
      if (asked.size() >= head + 4 + length) break;
    }
    // Without a library for JSON, the word anywhere in the question refuses all of its items.
    std::string answer = "{}";
    if (asked.find("spam") != std::string::npos) answer = R"({"code": 38001, "info": "no spam"})";
    answer = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: " +
             std::to_string(answer.size()) + "\r\n\r\n" + answer;
    if (write(peer, answer.data(), answer.size()) < 0) continue;
  }
}
