import GRPC
import Logging
import Memory
import Protobuf
import RelationAPI
import RelationAccess
import RelationClient
import RelationCore
import RelationModel
import RelationService
import Storage

@testable import RelationAdmission
@testable import RelationCalls

/// A server of two loops that checks credentials, over the model of the store.
final class BusyService: Sendable {
    static let users = (0..<12).map { "user\($0)" }

    let store: MemoryStore
    /// The key of a backend with all permissions of its app.
    let key = "\(Authenticator.defaultApp).first.secret"
    private let server: RelationServer
    private let address: ListeningAddress

    init(over store: MemoryStore? = nil) async throws {
        self.store = store ?? MemoryStore()
        if store == nil { try Self.fill(self.store, key) }
        let apps = try Apps(of: self.store, at: ServiceClock.system.now())
        var logger = Logger(label: "race")
        logger.logLevel = .critical
        server = try RelationServer(
            store: self.store, authenticator: .guarded(apps, loops: 2),
            configuration: ServerConfiguration(loops: 2), descriptors: [], logger: logger)
        address = try await server.start()
    }

    private static func fill(_ store: MemoryStore, _ key: String) throws {
        try change(.registry, store) { (ledger) throws(StorageError) in
            var making = AppRules.Making()
            making.id = Authenticator.defaultApp
            _ = try AppRules.create(making, in: ledger)
        }
        let app = App(id: Authenticator.defaultApp, settings: .tim)
        try change(app, store) { (ledger) throws(StorageError) in
            var record = CredentialRecord()
            record.scopes = [.read, .write, .watch, .admin]
            record.digest = APIKey.digest(of: key.utf8)
            _ = try CredentialRules.create(CredentialID("first"), record, in: ledger)
            for user in users {
                let id = UserID(stored: user.utf8)
                _ = try Accounts.create(id, nick: user, faceURL: "", in: ledger)
            }
        }
    }

    private static func change(
        _ app: App, _ store: MemoryStore, _ body: (Ledger) throws(StorageError) -> Void
    ) throws {
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: app, now: ServiceClock.system.now(), origin: Origin(user: nil),
                transaction: transaction)
            try body(ledger)
            try ledger.close()
        }
    }

    func stop() async {
        await server.stop()
    }

    func client(_ key: String? = nil) throws -> Client {
        var options = ClientOptions(host: address.host, port: address.port)
        options.credential = .apiKey(key ?? self.key)
        return try Client(options)
    }

    /// The findings of CheckIntegrity.
    func findings() async throws -> [String] {
        let client = try client()
        var found: [String] = []
        let method = AnyMethod(MaintenanceMethods.checkIntegrity)
        let coder = MaintenanceMethods.checkIntegrity.responseCoder
        try await client.exchange(method, [[]]) { bytes in
            try Arena.temporary { arena in
                let answer = try coder.message(bytes, arena)
                if case .finding(let finding) = answer.answer { found.append("\(finding)") }
            }
        }
        await client.close()
        return found
    }
}
