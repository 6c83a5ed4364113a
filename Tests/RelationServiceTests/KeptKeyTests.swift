import RelationCore
import RelationModel
import Testing

@testable import RelationAdmission

/// The keys of an app that another server of the store leaves as they are.
struct KeptKeyTests {
    private static let app = App(id: 1, settings: .tim)

    private static func credentials(
        _ rows: [(id: CredentialID, record: CredentialRecord)]
    ) -> [AppCredentials] {
        [AppCredentials(app: 1, secrets: [], credentials: rows)]
    }

    private static func record(_ digest: UInt8) -> CredentialRecord {
        var record = CredentialRecord()
        record.digest = [digest]
        record.scopes = [.read]
        return record
    }

    /// A stream that was admitted with a key holds the key's object, and ends when that is gone.
    @Test func aKeyThatAnotherServerDidNotChangeStays() throws {
        let (one, two) = (CredentialID("one"), CredentialID("two"))
        let rows = [(id: one, record: Self.record(1)), (id: two, record: Self.record(2))]
        let apps = Apps([Self.app], Self.credentials(rows), version: 1)
        let before = try #require(apps.keyring(of: 1))
        var used = Self.record(1)
        used.lastUseMs = 77
        var narrowed = Self.record(2)
        narrowed.scopes = []
        let later = [(id: one, record: used), (id: two, record: narrowed)]
        apps.replace([Self.app], Self.credentials(later), registry: .registry, version: 2)
        #expect(apps.version == 2)
        let after = try #require(apps.keyring(of: 1))
        #expect(after.key(named: "one") === before.key(named: "one"))
        #expect(after.key(named: "two") !== before.key(named: "two"))
        #expect(after.key(named: "two")?.use === before.key(named: "two")?.use)
        #expect(after.calls === before.calls)
        #expect(after.administrators === before.administrators)
        #expect(after.usage === before.usage)
        apps.replace(
            [Self.app], Self.credentials([later[1]]), registry: .registry, version: 3)
        #expect(apps.keyring(of: 1)?.key(named: "one") == nil)
    }
}
