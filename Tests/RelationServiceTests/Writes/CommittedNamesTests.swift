import RelationCore
import RelationModel
import RelationSuite
import Storage
import Synchronization
import Testing

@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// The names in memory are those of the store after every kind of work of the committer.
@Suite struct CommittedNamesTests {
    /// Gives "A" a nick, as work that no caller waits for.
    private final class Renaming: BackgroundWork {
        private let nick: String
        private let fails: Bool
        private let failed = Mutex(false)

        init(_ nick: String, fails: Bool = false) {
            self.nick = nick
            self.fails = fails
        }

        var hasFailed: Bool { failed.withLock { $0 } }

        func run(in transaction: any WriteTransaction) throws(StorageError) {
            let ledger = Ledger(
                app: CommittedNamesTests.app, now: Timestamp(milliseconds: 1),
                origin: Origin(user: "A"),
                transaction: transaction)
            var values = ProfileRecord()
            values.nick = nick
            _ = try Profiles.update(
                "A", values, fields: [.nick], expectedVersion: nil, in: ledger)
            try ledger.close()
            if fails { throw StorageError(.failed, "the disk is away") }
        }

        func finish(_ error: StorageError?) {
            failed.withLock { $0 = error != nil }
        }
    }

    fileprivate static let app = App(id: 7, settings: .tim)

    private func nick(_ committer: Committer, _ store: MemoryStore) throws -> String {
        let readVersion = committer.memory.names.readVersion()
        return try store.read { (transaction) throws(StorageError) in
            try committer.memory.names.names(
                of: ["A"], app: Self.app, at: readVersion, in: transaction)[0].nick
        }
    }

    @Test func workThatNoCallWaitsForChangesNamesToo() throws {
        let store = MemoryStore()
        let committer = Committer(store: store)
        for nick in ["one", "two", "three"] {
            committer.submit(background: Renaming(nick))
            committer.close()
            #expect(try self.nick(committer, store) == nick)
        }
        let renaming = Renaming("four", fails: true)
        committer.submit(background: renaming)
        committer.close()
        #expect(renaming.hasFailed)
        #expect(try nick(committer, store) == "three")
    }
}
