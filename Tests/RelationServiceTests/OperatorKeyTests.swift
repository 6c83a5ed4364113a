import GRPC
import RelationAPI
import RelationAccess
import RelationCore
import RelationModel
import Storage
import StorageRocks
import StorageSuite
import Testing

@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationRuntime

/// The wishes of a data folder's owner about operators' keys, with the model and with the engine.
@Suite struct OperatorKeyTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    /// Each engine of the service, new and empty.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case model, rocks

        var testDescription: String { rawValue }

        var engine: any Engine {
            switch self {
            case .model: MemoryEngine()
            case .rocks:
                FolderEngine("rocks") { (path) throws(StorageError) in
                    try RocksStore(folder: path)
                }
            }
        }
    }

    private func ask(_ request: OwnerRequest, _ store: any Store) throws -> OwnerAnswer {
        try request.answer(in: store, at: Self.now)
    }

    private func names(_ store: any Store) throws -> [String] {
        try ask(OwnerRequest(.list), store).keys.map(\.name).sorted()
    }

    private func id(_ key: String) -> String {
        key.split(separator: ".").map(String.init)[1]
    }

    @Test(arguments: Kind.allCases)
    func keysAreMadeListedAndEndedAndOutliveTheStore(_ kind: Kind) throws {
        let engine = kind.engine
        var store = try engine.open()
        let first = try ask(OwnerRequest(.first), store)
        #expect(first.refusal.isEmpty && first.key.hasPrefix("0."))
        let again = try ask(OwnerRequest(.first), store)
        #expect(again.key.isEmpty && again.refusal.contains("--add-key"))
        let second = try ask(
            OwnerRequest(.add, name: "anna", expiresMs: Self.now.milliseconds + 1), store)
        #expect(second.refusal.isEmpty)
        #expect(try names(store) == ["anna", "operator"])
        store.close()
        store = try engine.open()
        let listed = try ask(OwnerRequest(.list), store).keys
        #expect(Set(listed.map(\.credentialID)) == [id(first.key), id(second.key)])
        #expect(listed.map(\.credentialID) == listed.map(\.credentialID).sorted())
        #expect(try ask(OwnerRequest(.end, keyID: id(second.key)), store).refusal.isEmpty)
        #expect(try ask(OwnerRequest(.end, keyID: id(second.key)), store).refusal.contains("no "))
        #expect(try names(store) == ["operator"])
        let third = try ask(OwnerRequest(.replace), store)
        #expect(third.key != first.key)
        #expect(try ask(OwnerRequest(.list), store).keys.map(\.credentialID) == [id(third.key)])
        withExtendedLifetime(engine) { store.close() }
    }

    @Test(arguments: Kind.allCases)
    func theLastKeyThatIsGoodForEverStays(_ kind: Kind) throws {
        let engine = kind.engine
        let store = try engine.open()
        // The folder of an engine is there as long as the engine.
        defer { withExtendedLifetime(engine) { store.close() } }
        let first = try ask(OwnerRequest(.first), store).key
        let later = Self.now.milliseconds + 1_000
        _ = try ask(OwnerRequest(.add, name: "passing", expiresMs: later), store)
        #expect(try ask(OwnerRequest(.end, keyID: id(first)), store).refusal.contains("last"))
        _ = try ask(OwnerRequest(.add, name: "other"), store)
        #expect(try ask(OwnerRequest(.end, keyID: id(first)), store).refusal.isEmpty)
        #expect(try names(store) == ["other", "passing"])
    }

    @Test(arguments: Kind.allCases)
    func aStoreHasSoManyKeysAndNoMore(_ kind: Kind) throws {
        let engine = kind.engine
        let store = try engine.open()
        // The folder of an engine is there as long as the engine.
        defer { withExtendedLifetime(engine) { store.close() } }
        for number in 0..<Limits.operatorKeys {
            #expect(try ask(OwnerRequest(.add, name: "\(number)"), store).refusal.isEmpty)
        }
        let full = try ask(OwnerRequest(.add, name: "one more"), store)
        #expect(full.key.isEmpty && full.refusal.contains("\(Limits.operatorKeys)"))
        #expect(try ask(OwnerRequest(.replace), store).refusal.isEmpty)
        #expect(try names(store).count == 1)
    }

    @Test func aNameAndAnEndHaveTheirBounds() throws {
        let store = MemoryStore()
        let longest = String(repeating: "n", count: Limits.appNameBytes)
        #expect(try ask(OwnerRequest(.add, name: longest), store).refusal.isEmpty)
        #expect(!(try ask(OwnerRequest(.add, name: longest + "n"), store).refusal.isEmpty))
        let over = OwnerRequest(.add, name: "over", expiresMs: Self.now.milliseconds)
        #expect(!(try ask(over, store).refusal.isEmpty))
        var unknown = OwnerRequest(.list)
        unknown.action = 99
        #expect(try ask(unknown, store).refusal.contains("another version"))
        #expect(try names(store) == [longest])
    }

    /// The row of the one key that a folder from before has.
    @Test(arguments: Kind.allCases)
    func theKeyOfAFolderFromBeforeIsOneOfSeveral(_ kind: Kind) throws {
        let engine = kind.engine
        let store = try engine.open()
        // The folder of an engine is there as long as the engine.
        defer { withExtendedLifetime(engine) { store.close() } }
        _ = try Apps(of: store, at: Self.now)
        var record = CredentialRecord()
        record.name = "operator"
        record.scopes = [.operator]
        record.createdMs = Self.now.milliseconds
        record.digest = APIKey.digest(of: "0.before.secret".utf8)
        try store.write(touching: []) { (transaction) throws(StorageError) in
            try Tables.credentials.set(
                record, at: App.registry.partition, CredentialID("before"), in: transaction)
        }
        _ = try ask(OwnerRequest(.add, name: "anna"), store)
        #expect(try names(store) == ["anna", "operator"])
        #expect(try Apps(of: store, at: Self.now).keyring(of: 0)?.keys.count == 2)
    }

    // MARK: Beside a server

    @Test(arguments: Kind.allCases)
    func aServersOwnMemoryKnowsWhatItsCommitterDid(_ kind: Kind) throws {
        let engine = kind.engine
        let store = try engine.open()
        // The folder of an engine is there as long as the engine.
        defer { withExtendedLifetime(engine) { store.close() } }
        let apps = try Apps(of: store, at: Self.now)
        let committer = Committer(store: store, apps: apps)
        func ask(_ request: OwnerRequest) -> OwnerAnswer {
            let work = OwnerWork(request, apps, at: Self.now)
            committer.submit(background: work)
            return work.wait()
        }
        let first = ask(OwnerRequest(.first)).key
        #expect(apps.keyring(of: 0)?.key(named: id(first)) != nil)
        let before = apps.generation
        #expect(ask(OwnerRequest(.list)).keys.count == 1)
        #expect(apps.generation == before)
        let second = ask(OwnerRequest(.add, name: "anna")).key
        #expect(apps.keyring(of: 0)?.keys.count == 2)
        #expect(ask(OwnerRequest(.end, keyID: id(first))).refusal.isEmpty)
        #expect(apps.keyring(of: 0)?.key(named: id(first)) == nil)
        #expect(ask(OwnerRequest(.end, keyID: id(second))).refusal.contains("last"))
        _ = ask(OwnerRequest(.add, name: "bob"))
        let third = ask(OwnerRequest(.replace)).key
        #expect(apps.keyring(of: 0)?.keys.map(\.id.text) == [id(third)])
        committer.close()
    }
}
