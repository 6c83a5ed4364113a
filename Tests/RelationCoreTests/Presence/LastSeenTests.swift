import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The stored time at which a user was last online.
@Suite struct LastSeenTests {
    private let start: Int64 = 1_800_000_000_000

    private func note(
        _ user: UserID, at timeMs: Int64, isOffline: Bool = false, in world: World
    ) throws -> Int64? {
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try LastSeen.note(user, at: timeMs, isOffline: isOffline, in: ledger)
        }
        return try world.userRecord(of: user)?.lastSeenMs
    }

    @Test func itIsWrittenOnceAnHourWhileTheUserIsOnlineAndOnceAMinuteAsItGoes() throws {
        let world = try World("A")
        #expect(try note("A", at: start, in: world) == start)
        #expect(try note("A", at: start + 3_599_999, in: world) == start)
        let next = start + 3_600_000
        #expect(try note("A", at: next, in: world) == next)
        #expect(try note("A", at: next + 59_999, isOffline: true, in: world) == next)
        #expect(try note("A", at: next + 60_000, isOffline: true, in: world) == next + 60_000)
        // A report of an earlier time changes nothing.
        #expect(try note("A", at: start, isOffline: true, in: world) == next + 60_000)
    }

    @Test func aUserThatIsNoAccountIsNotNoted() throws {
        let world = try World("A")
        #expect(try note("B", at: start, in: world) == nil)
        let times = try world.read { (transaction) throws(StorageError) in
            try LastSeen.times(of: ["A", "B"], app: world.app, in: transaction)
        }
        #expect(times[0]?.lastSeenMs == 0)
        #expect(times[1] == nil)
    }

    @Test func noSequenceAndNoEventTellsOfIt() throws {
        let world = try World("A")
        let before = try #require(try world.userRecord(of: "A"))
        _ = try note("A", at: start, in: world)
        var after = try #require(try world.userRecord(of: "A"))
        #expect(after.lastSeenMs == start)
        after.lastSeenMs = 0
        #expect(after == before)
    }
}
