import GRPC
import Testing

@testable import AdminEndpoints

/// Endpoints that take a POST.
struct PostTests {
    private let peer: AdminEndpointsTests.Peer

    init() throws {
        peer = try AdminEndpointsTests.Peer(and: [
            AdminEndpoint.posted("/posted") { post in
                guard let post else { return AdminAnswer("read\n") }
                let text = String(decoding: post.body, as: UTF8.self)
                return AdminAnswer("took \(text) of \(post.authorization ?? "none")\n")
            }
        ])
    }

    private func post(
        _ body: String, to path: String = "/posted", type: String = "application/json",
        more: String = ""
    ) throws -> String {
        try peer.send(
            "POST \(path) HTTP/1.1\r\nhost: x\r\ncontent-type: \(type)\r\n\(more)"
                + "content-length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    @Test func aPostReachesItsEndpoint() throws {
        #expect(try post("{}").hasSuffix("\r\n\r\ntook {} of none\n"))
        let answer = try post(
            "[1]", type: "application/json; charset=utf-8", more: "authorization: Bearer k\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("took [1] of Bearer k\n"))
        #expect(try peer.get("/posted").hasSuffix("read\n"))
        #expect(peer.isOpen)
    }

    @Test func otherEndpointsTakeNone() throws {
        #expect(try post("{}", to: "/plain").hasPrefix("HTTP/1.1 405 "))
    }

    /// A page of a browser sends such a type without asking before.
    @Test func anotherTypeIsRefused() throws {
        #expect(try post("{}", type: "text/plain").hasPrefix("HTTP/1.1 415 "))
    }

    @Test func aBodyHasItsBound() throws {
        let longest = String(repeating: " ", count: AdminLimits.bodyBytes)
        #expect(try post(longest).hasPrefix("HTTP/1.1 200 "))
        let answer = try post(longest + " ")
        #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains("at most 1024 bytes"))
    }

    @Test func aHostThatIsNotTheServersIsRefused() throws {
        var rules = BrowserRules()
        rules.checksHosts = true
        let peer = try AdminEndpointsTests.Peer(
            and: [AdminEndpoint.posted("/posted") { _ in AdminAnswer("took\n") }], rules: rules)
        let answer = try peer.send(
            "POST /posted HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\n"
                + "content-length: 2\r\n\r\n{}")
        #expect(answer.hasPrefix("HTTP/1.1 403 "))
    }
}
