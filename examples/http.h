// The least of an HTTP server that Prometheus can scrape: GET, one client at a time, on 127.0.0.1 alone. For
// examples/service.cc; a service that has a server already adds its pages there.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

struct Page {
  std::string type, body;
};
using Pages = std::function<std::optional<Page>(const std::string& path)>;  // nothing: 404

// A socket that listens, or -1 with errno; port becomes its number, which the system chose when the text is 0.
inline int listen_on(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return errno = EINVAL, -1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const int yes = 1;
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(listener, any, size) != 0 || ::listen(listener, 16) != 0 || ::getsockname(listener, any, &size) != 0)
    return -1;
  port = ntohs(address.sin_port);
  return listener;
}

inline std::string response(const std::string& request, const Pages& pages) {
  const std::size_t end = request.find(' ', 4);  // "GET /path HTTP/1.1"
  std::optional<Page> page;
  if (request.starts_with("GET ") && end != std::string::npos) page = pages(request.substr(4, end - 4));
  const std::string status = page ? "200 OK" : "404 Not Found";
  if (!page) page = Page{"text/plain", "no such page\n"};
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + page->type +
         "\r\nConnection: close\r\nContent-Length: " + std::to_string(page->body.size()) + "\r\n\r\n" + page->body;
}

inline void answer(int client, const Pages& pages) {
  const timeval patience{1, 0};  // a client that says nothing holds up the others for some seconds at most
  ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  std::string request;
  for (int part = 0; part < 5 && request.find("\r\n\r\n") == std::string::npos; ++part) {
    char bytes[4096];
    const ssize_t got = ::recv(client, bytes, sizeof bytes, 0);
    if (got <= 0) return;
    request.append(bytes, static_cast<std::size_t>(got));
  }
  const std::string text = response(request, pages);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t taken = ::send(client, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (taken <= 0) return;
    sent += static_cast<std::size_t>(taken);
  }
}

inline void serve(int listener, const std::stop_token& stop, const Pages& pages) {
  while (!stop.stop_requested()) {
    pollfd ready{listener, POLLIN, 0};
    if (::poll(&ready, 1, 200) <= 0) continue;
    const int client = ::accept(listener, nullptr, nullptr);
    if (client < 0) continue;
    answer(client, pages);
    ::close(client);
  }
  ::close(listener);
}
