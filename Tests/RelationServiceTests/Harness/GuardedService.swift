import Compression
import Digests
import GRPC
import GRPCClient
import Logging
import Protobuf
import RPC
import RelationAPI
import RelationAccess
import RelationCore
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// A real server behind a guarded authenticator, on a clock that the test sets, and a client of it.
final class GuardedService: Sendable {
    static let start: Int64 = 1_700_000_000_000
    private static let method: StaticString = "/test.Admission/Admit"

    let apps: Apps
    let authenticator: Authenticator
    private let store = MemoryStore()
    private let server: Server
    private let channel: Channel
    private let address: ListeningAddress
    let waiting: Waiting
    private let readers = ReaderPools()
    private let now: Now
    private let admitted: Admitted
    private let keys = Atomic(0)

    static func run(
        _ rates: CallRates = CallRates(), bounds: HoldBounds = HoldBounds(),
        _ body: (GuardedService) async throws -> Void
    ) async throws {
        let service = try await GuardedService(rates, bounds)
        do {
            try await body(service)
            await service.stop()
        } catch {
            await service.stop()
            throw error
        }
    }

    private init(_ rates: CallRates, _ bounds: HoldBounds) async throws {
        let now = Now(Self.start)
        self.now = now
        let clock = ServiceClock { now.time }
        apps = try Apps(of: store, at: now.time)
        authenticator = .guarded(apps, loops: 1, limits: rates, bounds: bounds, clock: clock)
        let app = App(id: Authenticator.defaultApp, settings: .tim)
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: app, now: now.time, origin: Origin(user: nil), transaction: transaction)
            _ = try Accounts.create(UserID(stored: "ann".utf8), nick: "", faceURL: "", in: ledger)
            try ledger.close()
        }
        let router = Router(
            store: store, committer: Committer(store: store, apps: apps), readers: readers,
            authenticator: authenticator, clock: clock)
        RelationServer.registerCalls(in: router)
        admitted = Admitted(Self.method.description, authenticator)
        waiting = Waiting(authenticator)
        server = Server(
            configuration: ServerConfiguration(), dispatchers: [router, admitted, waiting],
            logger: Logger(label: "test"))
        address = try await server.start()
        channel = Channel(ClientConfiguration(host: address.host, port: address.port))
    }

    private func stop() async {
        waiting.answerAll()
        await channel.close()
        await server.shutDownGracefully { self.readers.close() }
    }

    /// Sets the clock.
    func set(_ milliseconds: Int64) {
        now.milliseconds.store(milliseconds, ordering: .relaxed)
    }

    // MARK: Credentials

    /// A new key, with all scopes of a service unless others are named.
    func key(
        expiresMs: Int64 = 0, scopes: [Scope] = [.read, .write, .watch, .admin]
    ) throws -> String {
        let number = keys.add(1, ordering: .relaxed).newValue
        let text = "\(Authenticator.defaultApp).key\(number).secret"
        var record = CredentialRecord()
        record.scopes = scopes
        record.expiresMs = expiresMs
        record.digest = APIKey.digest(of: text.utf8)
        try change { (ledger) throws(StorageError) in
            _ = try CredentialRules.create(CredentialID("key\(number)"), record, in: ledger)
        }
        return text
    }

    func name(of key: String) -> String {
        key.split(separator: ".").map(String.init)[1]
    }

    func revoke(_ key: String) throws {
        let id = CredentialID(name(of: key))
        try change { (ledger) throws(StorageError) in
            _ = try CredentialRules.revoke(id, in: ledger)
        }
    }

    func rotate(_ secret: String, oldValidUntilMs: Int64) throws {
        try change { (ledger) throws(StorageError) in
            _ = try CredentialRules.rotate(
                secret, oldValidUntilMs: oldValidUntilMs, of: ledger.app.id, in: ledger)
        }
    }

    /// Ends the sessions of a user: its signatures made before that moment are refused.
    func end(_ user: String, before timeMs: Int64, limit: Int = Limits.sessionEnds) throws {
        try change { (ledger) throws(StorageError) in
            _ = try SessionRules.end(
                UserID(stored: user.utf8), before: timeMs, in: ledger, limit: limit)
        }
    }

    /// A signature that begins `delay` seconds after the tests do.
    func signature(
        _ secret: String, seconds: Int64, after delay: Int64 = 0, user: String = "ann"
    ) throws -> String {
        let time = Self.start / 1_000 + delay
        let claims =
            "TLS.identifier:\(user)\nTLS.sdkappid:\(Authenticator.defaultApp)\n"
            + "TLS.time:\(time)\nTLS.expire:\(seconds)\n"
        let code = HMACSHA256.code(of: claims.utf8, key: secret.utf8)
        let json = """
            {"TLS.ver":"2.0","TLS.identifier":"\(user)","TLS.sdkappid":\(Authenticator.defaultApp),\
            "TLS.time":\(time),"TLS.expire":\(seconds),"TLS.sig":"\(Self.base64(code, "+/="))"}
            """
        let deflater = try #require(Deflater(.zlib))
        // Blanks, so that it surely gets shorter.
        let bytes = Array((json + String(repeating: " ", count: 99)).utf8)
        let packed = try #require(bytes.withUnsafeBytes { deflater.deflate($0).map { Array($0) } })
        return Self.base64(packed, "*-_")
    }

    /// The bytes in the alphabet whose last digits and padding are `ends`.
    private static func base64(_ bytes: some Sequence<UInt8>, _ ends: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + ends)
        let bytes = Array(bytes)
        return stride(from: 0, to: bytes.count, by: 3).map { start in
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            return String(
                (0..<4).map { digit in
                    digit > group.count ? digits[64] : digits[bits >> (18 - 6 * digit) & 63]
                })
        }.joined()
    }

    /// Sets bounds of the app's callers, by the names of the settings.
    func setBounds(_ numbers: [String: Int64]) throws {
        var change = AppRules.Change()
        for (name, number) in numbers {
            guard let setting = AppSetting.named("bounds.\(name)") else { continue }
            change.settings.append((setting, .number(number)))
        }
        try self.change { (ledger) throws(StorageError) in
            _ = try AppRules.update(Authenticator.defaultApp, change, in: ledger)
        }
    }

    private func change(
        _ body: (Ledger) throws(StorageError) -> Void
    ) throws {
        let app = App(id: Authenticator.defaultApp, settings: .tim)
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: app, now: now.time, origin: Origin(user: nil), transaction: transaction)
            try body(ledger)
            try ledger.close()
            if let change = ledger.appChange { apps.stage(change) }
            for change in ledger.credentialChanges { apps.stage(change) }
            for change in ledger.sessionChanges { apps.stage(change) }
        }
        apps.publish()
    }

    // MARK: Calls

    /// "OK", or the reason why a call with that key failed.
    func call(_ key: String) async throws -> String {
        try await outcome("/relation.v1.AppService/ListCredentials", "Bearer \(key)").reason
    }

    /// "OK", or the reason why a call failed that makes a key which may read.
    func write(_ key: String) async throws -> String {
        try await outcome(Self.making, "Bearer \(key)", Self.reading).reason
    }

    /// "OK", or the reason why such a call with a user's signature failed.
    func write(user token: String) async throws -> String {
        try await outcome(Self.making, "UserSig \(token)", Self.reading).reason
    }

    /// The records of the app's audit.
    func audit() throws -> [AuditRow] {
        try store.read { (transaction) throws(StorageError) in
            try AuditChain.page(
                after: 0, limit: 1_000, of: App(id: Authenticator.defaultApp, settings: .tim),
                in: transaction)
        }
    }

    func call(user token: String) async throws -> String {
        try await outcome("/relation.v1.ProfileService/GetSelfProfile", "UserSig \(token)").reason
    }

    /// The user that the refusal names, because it has no account.
    func whoAsks(_ token: String) async throws -> String {
        let message = try await outcome(
            "/relation.v1.ProfileService/GetSelfProfile", "UserSig \(token)"
        ).message
        let parts = message.split(separator: "\"")
        return parts.count > 1 ? String(parts[1]) : message
    }

    /// The caller that the authenticator recognises from that credential.
    func caller(_ credential: String) async throws -> Caller {
        try #require(try await outcome(Self.method.description, credential).reason == "OK")
        return try #require(admitted.found.last.withLock { $0 })
    }

    /// "OK", or the reason why a call on a connection of its own failed; `then` runs while that
    /// connection is open.
    func callOnNewConnection(
        _ credential: String, then body: () async throws -> Void = {}
    ) async throws -> String {
        let channel = Channel(ClientConfiguration(host: address.host, port: address.port))
        let (reason, _) = try await outcome(Self.method.description, credential, on: channel)
        do {
            try await body()
        } catch {
            await channel.close()
            throw error
        }
        await channel.close()
        return reason
    }

    /// "OK", or the reason why a call failed; the call is open until ``Waiting/answerAll()``.
    func callThatWaits(_ credential: String) async throws -> String {
        try await outcome(Waiting.path, credential).reason
    }

    private static let making = "/relation.v1.AppService/CreateCredential"
    /// A request with the scope to read alone.
    private static let reading: [UInt8] = [4 << 3 | 2, 1, 1]

    private func outcome(
        _ path: String, _ credential: String, _ message: [UInt8] = [], on channel: Channel? = nil
    ) async throws -> (reason: String, message: String) {
        var metadata = Metadata()
        metadata.append("authorization", credential)
        do throws(RPCError) {
            _ = try await (channel ?? self.channel).unary(
                path, message, metadata: metadata)
            return ("OK", "")
        } catch {
            return (try error.unpacked().reason, error.message)
        }
    }
}

/// One method whose calls count as open until the test answers them.
struct Waiting: Dispatcher {
    static let path = "/test.Admission/Wait"

    let methods: [ServedMethod]
    private let handles: Handles

    final class Handles: Sendable {
        let waiting = Mutex<[CallHandle]>([])
    }

    init(_ authenticator: Authenticator) {
        let handles = Handles()
        self.handles = handles
        methods = [
            .unary(Self.path) { _, call in
                do throws(RPCError) {
                    try authenticator.enter(
                        call, of: try authenticator.admit(call, needing: .unspecified))
                    handles.waiting.withLock { $0.append(call.handle) }
                } catch {
                    call.fail(error)
                }
            }
        ]
    }

    var count: Int { handles.waiting.withLock { $0.count } }

    func answerAll() {
        let waiting = handles.waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        CallHandle.resume(waiting) { _, call in call.respond { _ in } }
    }
}

/// A clock that stands still until it is set.
private final class Now: Sendable {
    let milliseconds: Atomic<Int64>

    init(_ start: Int64) {
        milliseconds = Atomic(start)
    }

    var time: Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .relaxed)) }
}

/// One method that asks the authenticator who its caller is, and keeps the answer.
private struct Admitted: Dispatcher {
    let methods: [ServedMethod]
    let found: Found

    final class Found: Sendable {
        let last = Mutex<Caller?>(nil)
    }

    init(_ path: String, _ authenticator: Authenticator) {
        let found = Found()
        self.found = found
        methods = [
            .unary(path) { _, call in
                do throws(RPCError) {
                    let caller = try authenticator.admit(call, needing: .unspecified)
                    found.last.withLock { $0 = caller }
                    call.respond { _ in }
                } catch {
                    call.fail(error)
                }
            }
        ]
    }
}
