import EchoSupport
import GRPC
import GRPCClient
import GRPCWire
import Memory
import PeerSupport
import RPC
import Synchronization
import Testing

@testable import Webhooks

/// The caller against receivers of gRPC, and against what is none.
@Suite(.endsWhenHung) struct ReceiverCallerTests {
    private static let host = "receiver.example"

    private static func call(
        _ port: Int, _ method: String = "/test.Echo/Unary", host: String = host,
        message: [UInt8] = [1, 2], isTLS: Bool = false, isPrivate: Bool = true,
        tenant: UInt32 = 1
    ) throws -> ReceiverCall {
        var policy = AddressPolicy()
        policy.allowsPlainHTTP = true
        policy.allowsPrivateAddresses = isPrivate
        let scheme = isTLS ? "https" : "http"
        var call = try ReceiverCall(
            "\(scheme)://\(host):\(port)", policy, method: method, message: message,
            tenant: tenant)
        call.timeout = .untilHung
        return call
    }

    private static func caller(
        _ resolver: ScriptedResolver = ScriptedResolver(),
        _ change: (inout ReceiverCallerSettings) -> Void = { _ in }
    ) -> ReceiverCaller {
        var settings = ReceiverCallerSettings()
        change(&settings)
        return ReceiverCaller(settings, resolver: resolver)
    }

    private static func outcome(
        _ caller: ReceiverCaller, _ call: ReceiverCall
    ) async -> Result<ReceiverAnswer, WebhookFailure> {
        do throws(WebhookFailure) {
            return .success(try await caller.call(call))
        } catch {
            return .failure(error)
        }
    }

    /// The answer of a receiver whose server is closed afterwards.
    private static func outcome(
        of method: String, message: [UInt8] = [1, 2], timeout: Duration = .untilHung
    ) async throws -> Result<ReceiverAnswer, WebhookFailure> {
        let server = try await ReceiverServer()
        let caller = caller()
        var call = try call(server.port, method, message: message)
        call.timeout = timeout
        let outcome = await outcome(caller, call)
        await caller.close()
        await server.close()
        return outcome
    }

    // MARK: Calls

    @Test func callsHaveTheirMessagesAndMetadataAndShareAConnection() async throws {
        let server = try await ReceiverServer()
        let resolver = ScriptedResolver()
        let caller = Self.caller(resolver)
        var call = try Self.call(server.port)
        for number in 0..<3 {
            call.message = [UInt8](repeating: UInt8(number), count: 5_000)
            #expect(try await caller.call(call).message == call.message)
        }
        call = try Self.call(server.port, "/test.Receiver/Headers")
        call.metadata = [("webhook-id", "a-1"), ("x-app-id", "7")]
        let answer = try await caller.call(call)
        #expect(String(decoding: answer.message, as: UTF8.self) == "a-1 none 7")
        // All went over one connection.
        #expect(resolver.names == [Self.host])
        #expect(caller.channels == 1)
        await caller.close()
        #expect(caller.channels == 0)
        #expect(await Self.outcome(caller, call) == .failure(.closed))
        await server.close()
    }

    @Test func eachTenantHasItsOwnChannelAndLookUp() async throws {
        let server = try await ReceiverServer()
        let resolver = ScriptedResolver()
        let caller = Self.caller(resolver)
        for tenant: UInt32 in [1, 2, 1] {
            let call = try Self.call(server.port, tenant: tenant)
            #expect(try await caller.call(call).isOK)
        }
        #expect(resolver.tenants == [1, 2])
        #expect(caller.channels == 2)
        await caller.close()
        await server.close()
    }

    @Test(arguments: Status.Code.allCases.filter { $0 != .ok })
    func aStatusIsAnAnswerWithoutItsWords(code: Status.Code) async throws {
        let message = [code.rawValue] + Array("a secret".utf8)
        let answer = try await Self.outcome(of: "/test.Echo/Fail", message: message).get()
        #expect(answer == ReceiverAnswer(code))
        #expect(answer.status == Int(code.rawValue))
        let why = "the receiver answered \(code)"
        let expected: DeliveryOutcome =
            switch code {
            case .invalidArgument, .outOfRange: .rejected(why: why)
            case .resourceExhausted: .busy(why: why)
            default: .failed(why: why)
            }
        #expect(DeliveryOutcome(answer) == expected)
    }

    @Test func aTrailerEndsTheHookAndAnotherAsksForTime() async throws {
        let gone = try await Self.outcome(of: "/test.Receiver/Gone").get()
        #expect(gone.isGone)
        guard case .gone = DeliveryOutcome(gone) else {
            Issue.record("the hook goes on")
            return
        }
        var error = RPCError(.unavailable, "later")
        error.pushback = .after(.seconds(7))
        let later = DeliveryOutcome(ReceiverAnswer(error))
        guard case .failed(_, let time) = later else {
            Issue.record("the answer is \(later)")
            return
        }
        #expect(time == .seconds(7))
        // A trailer of an answer that is well says nothing.
        var well = ReceiverAnswer(.ok)
        well.isGone = true
        #expect(DeliveryOutcome(well) == .delivered)
    }

    @Test func anAnswerThatIsTooLongOrTooLateIsNone() async throws {
        let most = WebhookLimits.replyBytes
        for (bytes, isTaken) in [(most, true), (most + 1, false)] {
            let size = [UInt8(bytes >> 16), UInt8(bytes >> 8 & 0xFF), UInt8(bytes & 0xFF)]
            let outcome = try await Self.outcome(of: "/test.Echo/Large", message: size)
            if isTaken {
                #expect(try outcome.get().message.count == bytes)
            } else {
                #expect(outcome == .failure(.badReply))
            }
        }
        let late = try await Self.outcome(of: "/test.Echo/Wait", timeout: .milliseconds(20))
        // Both sides know the deadline: the receiver's status may come before the caller gives up.
        let given: [Result<ReceiverAnswer, WebhookFailure>] = [
            .failure(.timedOut(.connecting)), .failure(.timedOut(.answering)),
            .success(ReceiverAnswer(.deadlineExceeded)),
        ]
        #expect(given.contains(late))
    }

    @Test func aReceiverOfHTTPIsNone() async throws {
        let receiver = try await ReceiverHarness { _, _ in ReceiverHarness.ok }
        let caller = Self.caller()
        for _ in 0..<2 {
            #expect(
                await Self.outcome(caller, try Self.call(receiver.port)) == .failure(.badReply))
        }
        await caller.close()
        await receiver.close()
    }

    @Test func aReceiverThatWasAwayIsReachedAtOnceWhenItIsBack() async throws {
        let first = try await ReceiverServer()
        let call = try Self.call(first.port)
        let caller = Self.caller()
        #expect(try await caller.call(call).isOK)
        await first.close()
        for _ in 0..<3 {
            let away = await Self.outcome(caller, call)
            #expect([.failure(.notConnected), .failure(.badReply)].contains(away))
        }
        let second = try await ReceiverServer(port: first.port)
        #expect(try await caller.call(call).isOK)
        #expect(caller.channels == 1)
        await caller.close()
        await second.close()
    }

    /// The way to the receiver slept, and has forgotten the connection that is kept.
    @Test func aCallWithoutAnAnswerIsFollowedByOneOnAnotherConnection() async throws {
        let receiver = try await ReceiverServer()
        let way = try await SleepingWay(to: receiver.port)
        let caller = Self.caller()
        var call = try Self.call(way.port)
        #expect(try await caller.call(call).isOK)
        way.forgets()
        call.timeout = .milliseconds(50)
        #expect(await Self.outcome(caller, call) == .failure(.timedOut(.answering)))
        call.timeout = .untilHung
        #expect(try await caller.call(call).isOK)
        #expect(way.connections == 2)
        await caller.close()
        await way.close()
        await receiver.close()
    }
}

extension ReceiverCallerTests {
    // MARK: Addresses

    @Test(arguments: [
        (["169.254.169.254"], true, AddressRefusal.metadata),
        (["127.0.0.1", "10.0.0.1"], false, .loopback),
        (["93.184.216.34", "10.0.0.1"], false, .privateNetwork),
        (["::ffff:127.0.0.1"], false, .loopback),
        (["fe80::1"], true, .linkLocal),
        ([], true, .noAddress),
    ])
    func theAddressOfTheConnectionIsChecked(
        addresses: [String], isPrivate: Bool, refusal: AddressRefusal
    ) async throws {
        let caller = Self.caller(ScriptedResolver([addresses]))
        let call = try Self.call(8_080, isPrivate: isPrivate)
        #expect(await Self.outcome(caller, call) == .failure(.refused(refusal)))
        await caller.close()
    }

    @Test func aNameWithTooManyAddressesOrWithoutServersIsRefused() async throws {
        let many = (1...33).map { "93.184.216.\($0)" }
        let caller = Self.caller(ScriptedResolver([many, nil]))
        let call = try Self.call(8_080)
        #expect(await Self.outcome(caller, call) == .failure(.refused(.tooManyAddresses)))
        #expect(await Self.outcome(caller, call) == .failure(.unresolved))
        await caller.close()
    }

    @Test func aNameThatChangesItsAddressGainsNothing() async throws {
        let server = try await ReceiverServer()
        let resolver = ScriptedResolver([["127.0.0.1"], ["169.254.169.254"]])
        let caller = Self.caller(resolver)
        let call = try Self.call(server.port)
        #expect(try await caller.call(call).isOK)
        await server.close()
        // The next connection is one to a new address, which is looked at.
        var last = await Self.outcome(caller, call)
        for _ in 0..<3 where last != .failure(.refused(.metadata)) {
            last = await Self.outcome(caller, call)
        }
        #expect(last == .failure(.refused(.metadata)))
        await caller.close()
    }

    @Test func theNextAddressIsTriedAfterOneThatIsNotReached() async throws {
        let server = try await ReceiverServer()
        let caller = Self.caller(ScriptedResolver([["127.0.0.2", "127.0.0.1"]]))
        let call = try Self.call(server.port)
        #expect(await Self.outcome(caller, call) == .failure(.notConnected))
        #expect(try await caller.call(call).isOK)
        await caller.close()
        await server.close()
    }

    @Test func aLiteralAddressIsCheckedAsText() throws {
        for host in ["127.0.0.1", "[::1]", "10.0.0.1", "localhost"] {
            #expect(throws: AddressRefusal.self) {
                try Self.call(8_080, host: host, isPrivate: false)
            }
        }
    }

    // MARK: TLS

    @Test(arguments: [("receiver.example", true), ("127.0.0.1", true), ("other.example", false)])
    func theNameOfTheHostStandsInTheCertificate(host: String, isTaken: Bool) async throws {
        let tls = try ClientTLS(authorities: .bytes(Array(TestCertificates.authority.utf8)))
        try await Self.expect(isTaken, host, tls)
    }

    @Test func aCertificateOfAnUnknownAuthorityIsNotTrusted() async throws {
        try await Self.expect(false, Self.host, try ClientTLS())
    }

    /// A client with the authority of the tests, perhaps with a certificate.
    private static func own(isShown: Bool = true) throws -> ClientTLS {
        let own = (
            chain: PEMSource.bytes(Array(TestCertificates.client.utf8)),
            key: PEMSource.bytes(Array(TestCertificates.clientKey.utf8))
        )
        return try ClientTLS(
            authorities: .bytes(Array(TestCertificates.authority.utf8)),
            certificate: isShown ? own : nil)
    }

    @Test(arguments: [true, false])
    func aCertificateIsShownToAReceiverThatAsksForOne(isShown: Bool) async throws {
        let tls = try Self.own(isShown: isShown)
        try await Self.expect(isShown, Self.host, tls, asksCertificate: true)
    }

    @Test func callsShowTheCertificateThatWasTakenLast() async throws {
        let server = try await ReceiverServer(isEncrypted: true, asksCertificate: true)
        let caller = Self.caller { $0.tls = nil }
        let call = try Self.call(server.port, isTLS: true)
        #expect(await Self.outcome(caller, call) == .failure(.notSecured(.other)))
        caller.apply(try Self.own(isShown: false))
        #expect(await Self.outcome(caller, call) == .failure(.notSecured(.asksCertificate)))
        caller.apply(try Self.own())
        #expect(try await caller.call(call).isOK)
        // A call that runs keeps its channel, and the next one has another.
        let waiting = try Self.call(server.port, "/test.Echo/Wait", isTLS: true)
        let held = Task { await Self.outcome(caller, waiting) }
        while server.service.waiting.withLock({ $0.isEmpty }) { await Task.yield() }
        caller.apply(try Self.own(isShown: false))
        #expect(await Self.outcome(caller, call) == .failure(.notSecured(.asksCertificate)))
        #expect(caller.channels == 2)
        let handle = server.service.waiting.withLock { $0.removeFirst() }
        handle.resume { $0.respond { $0.append([9]) } }
        #expect(try await held.value.get().message == [9])
        #expect(caller.channels == 1)
        await caller.close()
        await server.close()
    }

    @Test func theWordsOfACallSayWhichErrorOfTLSItIs() {
        let failures: [(words: String, isLasting: Bool, tlsFailure: WebhookFailure.TLSFailure?)] = [
            ("TLSV1_ALERT_CERTIFICATE_REQUIRED", true, .asksCertificate),
            ("TLSV1_ALERT_UNKNOWN_CA", true, .asksCertificate),
            ("SSLV3_ALERT_HANDSHAKE_FAILURE", true, .other),
            ("CERTIFICATE_VERIFY_FAILED", true, .noGRPC),
            ("was lost: reset: \(TLSSetupError.silence)", false, .silent),
            (TLSSetupError.closedHandshake, false, .other),
            ("the connection was lost", false, nil),
        ]
        for (words, isLasting, tlsFailure) in failures {
            #expect(
                WebhookFailure.TLSFailure(ofCall: words, isLasting: isLasting) == tlsFailure,
                "\(words)")
        }
    }

    private static func expect(
        _ isTaken: Bool, _ host: String, _ tls: ClientTLS, asksCertificate: Bool = false
    ) async throws {
        let server = try await ReceiverServer(isEncrypted: true, asksCertificate: asksCertificate)
        let caller = caller { $0.tls = tls }
        let outcome = await outcome(caller, try call(server.port, host: host, isTLS: true))
        if isTaken {
            #expect(try outcome.get().isOK)
        } else {
            let tlsFailure: WebhookFailure.TLSFailure = asksCertificate ? .asksCertificate : .noGRPC
            #expect(outcome == .failure(.notSecured(tlsFailure)))
        }
        await caller.close()
        await server.close()
    }

    // MARK: Bounds

    @Test func aChannelThatIsIdleGivesWayAndOneWithACallDoesNot() async throws {
        let server = try await ReceiverServer()
        let caller = Self.caller { $0.channels = 1 }
        let waiting = try Self.call(server.port, "/test.Echo/Wait", host: "a.example")
        let other = try Self.call(server.port, host: "b.example")
        let held = Task { await Self.outcome(caller, waiting) }
        while server.service.waiting.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(await Self.outcome(caller, other) == .failure(.tooManyWaiting))
        let handle = server.service.waiting.withLock { $0.removeFirst() }
        handle.resume { $0.respond { $0.append([9]) } }
        #expect(try await held.value.get().message == [9])
        #expect(try await caller.call(other).isOK)
        #expect(caller.channels == 1)
        await caller.close()
        await server.close()
    }

    @Test func aChannelWithoutCallsEnds() async throws {
        let server = try await ReceiverServer()
        let caller = Self.caller { $0.idleTime = .milliseconds(5) }
        let call = try Self.call(server.port)
        for _ in 0..<2 {
            #expect(try await caller.call(call).isOK)
            while caller.channels > 0 { await Task.yield() }
        }
        await caller.close()
        await server.close()
    }
}
