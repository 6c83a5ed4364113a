import NIOCore
import PeerSupport
import Testing
import Webhooks

/// The sender against receivers of all kinds.
@Suite(.endsWhenHung) struct WebhookSenderTests {
    private static let host = "receiver.example"

    private static func policy(isPrivate: Bool = true) -> AddressPolicy {
        var policy = AddressPolicy()
        policy.allowsPlainHTTP = true
        policy.allowsPrivateAddresses = isPrivate
        return policy
    }

    private static func request(
        _ port: Int, _ path: String = "/hook", host: String = host, body: String = "{}",
        isPrivate: Bool = true
    ) throws -> WebhookRequest {
        let endpoint = try WebhookEndpoint(
            "http://\(host):\(port)\(path)", policy(isPrivate: isPrivate), tenant: 1)
        var request = WebhookRequest(
            endpoint, contentType: "application/json", body: Array(body.utf8))
        request.timeout = .untilHung
        return request
    }

    private static func sender(
        _ resolver: ScriptedResolver = ScriptedResolver(),
        _ change: (inout WebhookSenderSettings) -> Void = { _ in }
    ) -> WebhookSender {
        var settings = WebhookSenderSettings()
        // A machine that is busy with other tests takes its time.
        settings.connectTime = .untilHung
        change(&settings)
        return WebhookSender(settings, resolver: resolver)
    }

    private static func outcome(
        _ sender: WebhookSender, _ request: WebhookRequest
    ) async -> Result<WebhookAnswer, WebhookFailure> {
        do throws(WebhookFailure) {
            return .success(try await sender.send(request))
        } catch {
            return .failure(error)
        }
    }

    // MARK: Requests

    @Test func aRequestArrivesAsItIsAndItsConnectionIsUsedAgain() async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let resolver = ScriptedResolver()
        let sender = Self.sender(resolver)
        var request = try Self.request(receiver.port, "/hook?a=b", body: "{\"é\":1}")
        request.headers = [("webhook-id", "1"), ("x-note", "a b")]
        request.query = [("Sign", "1+2 é/~"), ("c", "")]
        request.keepsBody = 1
        for _ in 0..<3 {
            let answer = try await sender.send(request)
            #expect(answer.status == 200 && answer.body == Array("{".utf8) && answer.isCut)
        }
        let first = try #require(receiver.requests.first)
        #expect(first.method == "POST" && first.body == "{\"é\":1}")
        #expect(first.target == "/hook?a=b&Sign=1%2B2%20%C3%A9%2F~&c=")
        #expect(
            first.headers == [
                "host": "\(Self.host):\(receiver.port)", "user-agent": "relationd",
                "content-type": "application/json", "content-length": "8", "accept": "*/*",
                "webhook-id": "1", "x-note": "a b",
            ])
        #expect(receiver.connections == 1 && resolver.names == [Self.host])
        let counts = sender.reading()
        #expect(counts.requests == 3 && counts.answers[2] == 3 && counts.connectionsMade == 1)
        #expect(counts.sentBytes == 24 && counts.idleConnections == 1)
        await sender.close()
        #expect(await Self.outcome(sender, request) == .failure(.closed))
        #expect(sender.reading().openConnections == 0)
        await receiver.close()
    }

    @Test(arguments: [
        ("x\r\ny", "1"), ("x", "1\r\ny: 2"), ("x", "1\n"), ("x", " 1"), ("", "1"), ("X", "1"),
        ("host", "1"), ("content-length", "1"), ("transfer-encoding", "chunked"), ("x", "é"),
        ("connection", "close"), ("x", String(repeating: "v", count: 20_000)),
    ])
    func aHeaderThatCouldMeanAnythingElseIsNotSent(name: String, value: String) async throws {
        let sender = Self.sender()
        var request = try Self.request(1_024)
        request.headers = [(name, value)]
        #expect(await Self.outcome(sender, request) == .failure(.badRequest))
    }

    // MARK: Answers

    @Test func statusesAreAnswersAndRedirectionsAreNot() async throws {
        let statuses = ["204 No", "400 Bad", "404 Not", "500 Oh", "503 Oh", "304 Same", "299 Ok"]
        let receiver = try await ReceiverHarness { _, number in
            number < statuses.count
                ? ReceiverHarness.answer(statuses[number], "retry-after: 12\r\n")
                : ReceiverHarness.answer("301 Moved", "location: http://169.254.169.254/\r\n")
        }
        let sender = Self.sender()
        let request = try Self.request(receiver.port)
        for status in statuses {
            let answer = try await sender.send(request)
            #expect("\(answer.status)" == status.prefix(3) && answer.body.isEmpty)
            #expect(answer.retryAfter == .seconds(12) && answer.isTaken == (status.first == "2"))
        }
        #expect(await Self.outcome(sender, request) == .failure(.redirected(status: 301)))
        #expect(receiver.requests.count == 8 && receiver.connections == 1)
        await sender.close()
        await receiver.close()
    }

    @Test func hintsBeforeAnAnswerAreNone() async throws {
        let receiver = try await ReceiverHarness { _, _ in
            [
                .write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"),
                .write("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"),
            ]
        }
        let sender = Self.sender()
        let request = try Self.request(receiver.port)
        for _ in 0..<3 { #expect(try await sender.send(request).status == 202) }
        #expect(receiver.connections == 1)
        await sender.close()
        await receiver.close()
    }

    @Test(arguments: [
        "garbage\r\n\r\n", "SSH-2.0-x\r\n", "HTTP/2.0 200 OK\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}",
        "HTTP/1.1 101 Up\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
        "HTTP/1.1 200 OK\r\nbad header\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nx: " + String(repeating: "v", count: 20_000) + "\r\n\r\n",
    ])
    func otherBytesAreNoAnswer(text: String) async throws {
        let receiver = try await ReceiverHarness { _, _ in [.write(text)] }
        let sender = Self.sender()
        let request = try Self.request(receiver.port)
        #expect(await Self.outcome(sender, request) == .failure(.badAnswer))
        #expect(sender.reading().openConnections == 0)
        await sender.close()
        await receiver.close()
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nx", ": y"), ("HTTP/1.1 100 Go on\r\n\r\n", ""),
        ("HTTP/1.1 200 OK\r\n", "x: y\r\n"),
    ])
    func anEndlessHeaderBlockIsCutOff(start: String, part: String) async throws {
        let receiver = try await ReceiverHarness { _, _ in
            [.write(start), .repeatForever(part.isEmpty ? start : part)]
        }
        let sender = Self.sender()
        let request = try Self.request(receiver.port)
        #expect(await Self.outcome(sender, request) == .failure(.badAnswer))
        await sender.close()
        await receiver.close()
    }

    /// The status counts, and the connection is not used again.
    @Test(arguments: [
        ("content-length: 100000000", "bbbbbbbbbbbbbbbb"),
        ("transfer-encoding: chunked", "1\r\nb\r\n"),
        ("transfer-encoding: chunked", "8\r\nbbbbbbbb\r\n"),
        ("connection: close", "bbbbbbbb"),
    ])
    func anEndlessBodyIsCutOff(header: String, part: String) async throws {
        let receiver = try await ReceiverHarness { _, _ in
            [.write("HTTP/1.1 200 OK\r\n\(header)\r\n\r\n"), .repeatForever(part)]
        }
        let sender = Self.sender()
        var request = try Self.request(receiver.port)
        request.keepsBody = 1 << 30
        let answer = try await sender.send(request)
        #expect(answer.status == 200 && answer.isCut && answer.body.first == 0x62)
        #expect(answer.body.count <= WebhookLimits.keptBodyBytes)
        #expect(sender.reading().openConnections == 0)
        await sender.close()
        await receiver.close()
    }

    @Test func aSlowReceiverCostsItsTimeAndASlowBodyNothing() async throws {
        let receiver = try await ReceiverHarness { request, _ in
            switch request.target {
            case "/silent": []
            case "/slow": [.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nsome")]
            default: ReceiverHarness.ok
            }
        }
        let sender = Self.sender()
        _ = try await sender.send(try Self.request(receiver.port))
        var request = try Self.request(receiver.port, "/silent")
        request.timeout = .milliseconds(100)
        #expect(await Self.outcome(sender, request) == .failure(.timedOut(.answering)))
        #expect(WebhookFailure.timedOut(.answering).mayHaveArrived)
        _ = try await sender.send(try Self.request(receiver.port))
        request = try Self.request(receiver.port, "/slow")
        request.timeout = .seconds(3)
        request.keepsBody = 100
        let answer = try await sender.send(request)
        #expect(answer.status == 200 && answer.body == Array("some".utf8) && answer.isCut)
        #expect(sender.reading().openConnections == 0 && receiver.connections == 2)
        await sender.close()
        await receiver.close()
    }

    // MARK: Connections that end

    @Test func anAnswerThatIsLostAfterTheMessageWasTakenIsAFailure() async throws {
        let receiver = try await ReceiverHarness { _, _ in [.close] }
        let sender = Self.sender()
        let request = try Self.request(receiver.port)
        #expect(await Self.outcome(sender, request) == .failure(.cutOff))
        #expect(receiver.requests.count == 1 && WebhookFailure.cutOff.mayHaveArrived)
        await sender.close()
        await receiver.close()
    }

    @Test(arguments: [
        "content-length: 10\r\n\r\nhello", "content-length: 10\r\n\r\n",
        "transfer-encoding: chunked\r\n\r\n5\r\nhel",
        "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ])
    func anAnswerCountsThatEndsWithinItsBody(rest: String) async throws {
        let receiver = try await ReceiverHarness { _, _ in
            [.write("HTTP/1.1 200 OK\r\n" + rest), .close]
        }
        let sender = Self.sender()
        let answer = try await sender.send(try Self.request(receiver.port))
        #expect(answer.status == 200 && answer.isCut)
        #expect(sender.reading().openConnections == 0)
        await sender.close()
        await receiver.close()
    }

    @Test(arguments: ["HTTP/1.1 2", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nx: y"])
    func anAnswerThatEndsWithinItsHeaderBlockIsLost(head: String) async throws {
        let receiver = try await ReceiverHarness { _, _ in [.write(head), .close] }
        let sender = Self.sender()
        let request = try Self.request(receiver.port)
        #expect(await Self.outcome(sender, request) == .failure(.cutOff))
        #expect(receiver.requests.count == 1)
        await sender.close()
        await receiver.close()
    }

    /// A receiver may close a kept connection at any time, also while a message is on its way.
    @Test func aMessageForAClosedConnectionGoesOutAgainOnce() async throws {
        let receiver = try await ReceiverHarness { request, number in
            // The first on each connection is answered, and the second one finds it closed.
            number == 1 || number >= 3 ? [.close] : ReceiverHarness.ok
        }
        let sender = Self.sender()
        let request = try Self.request(receiver.port)
        #expect(try await sender.send(request).status == 200)
        #expect(try await sender.send(request).status == 200)
        #expect(receiver.requests.map(\.connection) == [0, 0, 1])
        #expect(sender.reading().repeated == 1)
        #expect(await Self.outcome(sender, request) == .failure(.cutOff))
        #expect(receiver.requests.map(\.connection) == [0, 0, 1, 1, 2])
        await sender.close()
        await receiver.close()
    }

    @Test func aConnectionThatSaysCloseIsNotUsedAgain() async throws {
        let receiver = try await ReceiverHarness { _, number in
            number % 2 == 0
                ? ReceiverHarness.answer("200 OK", "connection: close\r\n") + [.close]
                : [.write("HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"), .close]
        }
        let sender = Self.sender()
        let request = try Self.request(receiver.port)
        for _ in 0..<6 { #expect(try await sender.send(request).status == 200) }
        #expect(receiver.connections == 6 && sender.reading().repeated == 0)
        await sender.close()
        await receiver.close()
    }

    @Test func anAnswerWithoutARequestEndsTheConnection() async throws {
        let receiver = try await ReceiverHarness { _, _ in
            [.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 500 Oh\r\n\r\n")]
        }
        let sender = Self.sender()
        let request = try Self.request(receiver.port)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await sender.send(request).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20) && receiver.connections == 20)
        await sender.close()
        await receiver.close()
    }

    @Test func aConnectionIsIdleForABoundedTime() async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let sender = Self.sender { $0.idleTime = .milliseconds(1) }
        _ = try await sender.send(try Self.request(receiver.port))
        while receiver.closedConnections == 0 { await Task.yield() }
        #expect(sender.reading().openConnections == 0)
        await sender.close()
        await receiver.close()
    }

    @Test func noConnectionIsAFailure() async throws {
        let receiver = try await ReceiverHarness { _, _ in [] }
        await receiver.close()
        let sender = Self.sender()
        let request = try Self.request(receiver.port)
        #expect(await Self.outcome(sender, request) == .failure(.notConnected))
        #expect(!WebhookFailure.notConnected.mayHaveArrived)
        #expect(sender.reading().failures == ["not_connected": 1])
        await sender.close()
    }

    // MARK: Addresses

    @Test(
        arguments: [
            (["10.0.0.1"], AddressRefusal.privateNetwork), (["127.0.0.1"], .loopback),
            (["8.8.8.8", "127.0.0.1"], .loopback), (["::1"], .loopback),
            (["169.254.169.254"], .metadata), (["::ffff:127.0.0.1"], .loopback), ([], .noAddress),
            (Array(repeating: "8.8.8.8", count: 33), .tooManyAddresses),
        ] as [([String], AddressRefusal)])
    func aNameOfAPrivateAddressIsNotConnectedTo(
        addresses: [String], refusal: AddressRefusal
    ) async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let sender = Self.sender(ScriptedResolver([addresses]))
        let request = try Self.request(receiver.port, isPrivate: false)
        #expect(await Self.outcome(sender, request) == .failure(.refused(refusal)))
        #expect(receiver.connections == 0)
        await sender.close()
        await receiver.close()
    }

    /// The name is asked for once a connection, and the answer is what is connected to.
    @Test func aNameThatChangesItsAddressIsCheckedForEachConnection() async throws {
        let receiver = try await ReceiverHarness { _, _ in
            ReceiverHarness.answer("200 OK", "connection: close\r\n")
        }
        let resolver = ScriptedResolver([["127.0.0.1"], ["169.254.169.254"], nil, ["127.0.0.1"]])
        let sender = Self.sender(resolver)
        let request = try Self.request(receiver.port)
        #expect(try await sender.send(request).status == 200)
        #expect(await Self.outcome(sender, request) == .failure(.refused(.metadata)))
        #expect(await Self.outcome(sender, request) == .failure(.unresolved))
        #expect(try await sender.send(request).status == 200)
        #expect(resolver.names.count == 4 && receiver.requests.count == 2)
        await sender.close()
        await receiver.close()
    }

    @Test func theNextAddressIsTriedWhereOneTakesNoConnection() async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let sender = Self.sender(ScriptedResolver([["127.0.0.2", "::1", "127.0.0.1"]]))
        #expect(try await sender.send(try Self.request(receiver.port)).status == 200)
        await sender.close()
        await receiver.close()
    }

    @Test func fewOfManyAddressesAreTried() async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let others = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
        for (addresses, isReached) in [(others, true), (others + ["127.0.0.5"], false)] {
            let sender = Self.sender(ScriptedResolver([addresses + ["127.0.0.1"]]))
            let outcome = await Self.outcome(sender, try Self.request(receiver.port))
            #expect((outcome == .failure(.notConnected)) == !isReached)
            await sender.close()
        }
        #expect(receiver.connections == 1)
        await receiver.close()
    }

    @Test func anAddressInTheURLIsNotAskedFor() async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let resolver = ScriptedResolver()
        let sender = Self.sender(resolver)
        let request = try Self.request(receiver.port, host: "127.0.0.1")
        #expect(try await sender.send(request).status == 200 && resolver.names.isEmpty)
        await sender.close()
        await receiver.close()
    }

    @Test func nameServersThatHangCostTheTimeToConnect() async throws {
        struct Hanging: HostResolver {
            func addresses(of name: String, for tenant: UInt32) async throws -> [IPAddress] {
                try await Task.sleep(for: .untilHung)
                return []
            }
        }
        var settings = WebhookSenderSettings()
        settings.connectTime = .milliseconds(50)
        let sender = WebhookSender(settings, resolver: Hanging())
        let request = try Self.request(1_024)
        #expect(await Self.outcome(sender, request) == .failure(.timedOut(.resolving)))
        await sender.close()
    }
}
