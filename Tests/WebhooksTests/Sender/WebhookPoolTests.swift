import PeerSupport
import Synchronization
import Testing
import Webhooks

/// The bounds of connections and of requests that wait.
@Suite(.endsWhenHung) struct WebhookPoolTests {
    private static func request(_ port: Int, host: String = "a.example") throws -> WebhookRequest {
        var policy = AddressPolicy()
        policy.allowsPlainHTTP = true
        policy.allowsPrivateAddresses = true
        let endpoint = try WebhookEndpoint("http://\(host):\(port)/", policy, tenant: 1)
        var request = WebhookRequest(endpoint, contentType: "text/plain", body: [])
        request.timeout = .untilHung
        return request
    }

    private static func sender(
        _ change: (inout WebhookSenderSettings) -> Void
    ) -> WebhookSender {
        var settings = WebhookSenderSettings()
        settings.connectTime = .untilHung
        change(&settings)
        return WebhookSender(settings, resolver: ScriptedResolver())
    }

    /// The failures by their labels, and the answers, of many requests at once.
    private static func send(
        _ requests: [WebhookRequest], _ sender: WebhookSender
    ) async -> [String: Int] {
        await withTaskGroup(of: String.self) { group in
            for request in requests {
                group.addTask {
                    do throws(WebhookFailure) {
                        return "\(try await sender.send(request).status)"
                    } catch {
                        return error.label
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    @Test func thousandsWaitForFewConnections() async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let sender = Self.sender { $0.connectionsPerOrigin = 4 }
        let request = try Self.request(receiver.port)
        let outcomes = await Self.send(Array(repeating: request, count: 4_000), sender)
        #expect(outcomes == ["200": 4_000])
        #expect(receiver.requests.count == 4_000 && (1...4).contains(receiver.connections))
        let counts = sender.reading()
        #expect(counts.waitingRequests == 0 && counts.openConnections == counts.idleConnections)
        await sender.close()
        await receiver.close()
    }

    @Test func noMoreWaitThanMay() async throws {
        let gate = Gate()
        let receiver = try await ReceiverHarness { _, _ in
            gate.isOpen ? ReceiverHarness.ok : []
        }
        let sender = Self.sender {
            $0.connectionsPerOrigin = 2
            $0.waitingRequests = 5
        }
        let request = try Self.request(receiver.port)
        // Two are sent, five wait, and three find no room; then the sender is closed.
        let sending = Task { await Self.send(Array(repeating: request, count: 10), sender) }
        await receiver.hasRequests(2)
        while sender.reading().failures["too_many_waiting"] != 3 { await Task.yield() }
        #expect(sender.reading().waitingRequests == 5)
        await sender.close()
        #expect(await sending.value == ["too_many_waiting": 3, "closed": 7])
        #expect(sender.reading().waitingRequests == 0 && sender.reading().openConnections == 0)
        await receiver.close()
    }

    @Test func requestsThatWaitTooLongFailAndOthersGoOn() async throws {
        let receiver = try await ReceiverHarness { _, number in
            number == 0 ? [] : ReceiverHarness.ok
        }
        let sender = Self.sender { $0.connectionsPerOrigin = 1 }
        var request = try Self.request(receiver.port)
        let (sent, tooShort, patient) = (request, request.waiting(.milliseconds(50)), request)
        let first = Task { await Self.send([sent], sender) }
        await receiver.hasRequests(1)
        request.timeout = .milliseconds(50)
        #expect(await Self.send(Array(repeating: tooShort, count: 20), sender) == ["timed_out": 20])
        let last = Task { await Self.send([patient], sender) }
        while sender.reading().waitingRequests == 0 { await Task.yield() }
        first.cancel()
        #expect(await first.value == ["cancelled": 1])
        #expect(await last.value == ["200": 1])
        await sender.close()
        await receiver.close()
    }

    /// A process that was stopped finds such requests when it wakes up, and a connection for them.
    @Test func aRequestWhoseTimeIsOverGoesOutOnNoConnection() async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let sender = Self.sender { _ in }
        let request = try Self.request(receiver.port)
        let late = request.waiting(.zero)
        #expect(await Self.send([late], sender) == ["timed_out": 1])
        #expect(await Self.send([request], sender) == ["200": 1])
        #expect(sender.reading().idleConnections == 1)
        #expect(await Self.send([late], sender) == ["timed_out": 1])
        #expect(await Self.send([request], sender) == ["200": 1])
        #expect(receiver.requests.count == 2)
        #expect(sender.reading().idleConnections == 1 && sender.reading().waitingRequests == 0)
        await sender.close()
        await receiver.close()
    }

    /// The way to the receiver slept, and has forgotten the connections that are kept.
    @Test func oneRequestWithoutAnAnswerEndsTheOtherConnectionsThatAreKept() async throws {
        let ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
        let receiver = try await ReceiverHarness { _, number in
            switch number {
            case 0, 1: [.hold]
            case 2: [.hold, .release(ok)]
            case 3: []
            default: [.write(ok)]
            }
        }
        let sender = Self.sender { _ in }
        let request = try Self.request(receiver.port)
        #expect(await Self.send([request, request, request], sender) == ["200": 3])
        #expect(sender.reading().idleConnections == 3)
        let short = request.waiting(.milliseconds(50))
        #expect(await Self.send([short], sender) == ["timed_out": 1])
        #expect(sender.reading().openConnections == 0)
        #expect(await Self.send([request], sender) == ["200": 1])
        #expect(receiver.requests.last?.connection == 3)
        await sender.close()
        await receiver.close()
    }

    /// Many hosts share few connections, and each has its turn.
    @Test func anIdleConnectionGivesWayToAnotherOrigin() async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let sender = Self.sender { $0.connections = 3 }
        let requests = try (0..<300).map {
            try Self.request(receiver.port, host: "h\($0 % 20).example")
        }
        #expect(await Self.send(requests, sender) == ["200": 300])
        #expect(sender.reading().openConnections <= 3)
        let one = try Self.request(receiver.port, host: "another.example")
        #expect(await Self.send([one], sender) == ["200": 1])
        await sender.close()
        await receiver.close()
    }

    @Test func endpointsOfOtherCertificatesShareNoConnection() async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let sender = Self.sender { _ in }
        let plain = try Self.request(receiver.port)
        var other = plain
        let tls = try WebhookTLS(authorities: Array(TestCertificates.authority.utf8))
        other.endpoint = try WebhookEndpoint(
            "http://a.example:\(receiver.port)/", plain.endpoint.policy, tls, tenant: 1)
        for request in [plain, other, plain, other] { _ = await Self.send([request], sender) }
        #expect(receiver.requests.map(\.connection) == [0, 1, 0, 1])
        await sender.close()
        await receiver.close()
    }
}

/// Whether a receiver answers.
private final class Gate: Sendable {
    private let state = Mutex(false)

    var isOpen: Bool { state.withLock { $0 } }
}

extension WebhookRequest {
    fileprivate func waiting(_ time: Duration) -> WebhookRequest {
        var request = self
        request.timeout = time
        return request
    }
}
