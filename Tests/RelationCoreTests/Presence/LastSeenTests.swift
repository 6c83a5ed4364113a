import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The stored times at which a user and its devices were last online.
@Suite struct LastSeenTests {
    private let start: Int64 = 1_800_000_000_000

    @discardableResult
    private func note(
        _ user: UserID, _ id: String = "phone", platform: String = "", at timeMs: Int64,
        isOffline: Bool = false, in world: World
    ) throws -> Int64? {
        let device = SeenDevice(id, platform: platform, seenMs: timeMs)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try LastSeen.note(user, on: device, isOffline: isOffline, in: ledger)
        }
        return try world.userRecord(of: user)?.lastSeenMs
    }

    /// The stored devices of a user, each with its platform and its time after the start.
    private func devices(of user: UserID, in world: World) throws -> [String] {
        let found = try world.read { (transaction) throws(StorageError) in
            try LastSeen.devices(of: [user], app: world.app, in: transaction)[0]
        }
        return found.map { "\($0.deviceID) \($0.platform) \($0.seenMs - start)" }
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
        #expect(try devices(of: "B", in: world) == [])
        #expect(try devices(of: "A", in: world) == [])
    }

    @Test func eachDeviceHasATimeOfItsOwnThatIsWrittenAsSeldom() throws {
        let world = try World("A")
        try note("A", "phone", platform: "ios", at: start, in: world)
        // The user was noted just now, and this device never was.
        try note("A", "desk", platform: "pc", at: start + 1_000, in: world)
        #expect(try devices(of: "A", in: world) == ["desk pc 1000", "phone ios 0"])
        try note("A", "phone", platform: "web", at: start + 3_599_999, in: world)
        #expect(try devices(of: "A", in: world) == ["desk pc 1000", "phone ios 0"])
        try note("A", "phone", platform: "web", at: start + 3_600_000, in: world)
        try note("A", "desk", at: start + 60_999, isOffline: true, in: world)
        #expect(try devices(of: "A", in: world) == ["desk pc 1000", "phone web 3600000"])
        try note("A", "desk", at: start + 61_000, isOffline: true, in: world)
        #expect(try devices(of: "A", in: world) == ["desk  61000", "phone web 3600000"])
        // The older time of one device is none of the user.
        #expect(try world.userRecord(of: "A")?.lastSeenMs == start + 3_600_000)
        // Ids that look alike are two devices.
        try note("A", "e\u{301}", at: start, in: world)
        try note("A", "\u{e9}", at: start, in: world)
        #expect(try devices(of: "A", in: world).count == 4)
        #expect(try world.userRecord(of: "A")?.seenDeviceCount == 4)
    }

    @Test func oneDeviceMoreTakesThePlaceOfTheOneThatWasSeenLongestAgo() throws {
        let world = try World("A")
        let most = Limits.devicesPerUser
        for number in 0..<most {
            try note("A", "d\(10 + number)", at: start + Int64(number + 1), in: world)
        }
        let all = try devices(of: "A", in: world)
        #expect(all.count == most)
        // One that was seen before all of them has no place.
        try note("A", "old", at: start, in: world)
        #expect(try devices(of: "A", in: world) == all)
        try note("A", "new", at: start + 100, in: world)
        #expect(try devices(of: "A", in: world) == Array(all.dropFirst()) + ["new  100"])
        #expect(try world.userRecord(of: "A")?.seenDeviceCount == UInt32(most))
        // The next one that goes was seen again, so another one does.
        try note("A", "d11", at: start + 3_600_002, in: world)
        try note("A", "newer", at: start + 101, in: world)
        #expect(try devices(of: "A", in: world).contains { $0.hasPrefix("d11 ") })
        #expect(try !devices(of: "A", in: world).contains { $0.hasPrefix("d12 ") })
    }

    @Test func aReportCountsTheDevicesThatAnOlderServerLeftOut() throws {
        let world = try World("A")
        try note("A", "phone", at: start, in: world)
        try note("A", "desk", at: start, in: world)
        try world.changeUserRecord(of: "A") { $0.seenDeviceCount = 0 }
        // The report itself is not noted.
        try note("A", "desk", at: start + 1, in: world)
        #expect(try world.userRecord(of: "A")?.seenDeviceCount == 2)
        #expect(try devices(of: "A", in: world) == ["desk  0", "phone  0"])
    }

    @Test func aNumberOfDevicesThatHidesThemIsFoundAndRepaired() throws {
        let world = try World("A", "B")
        try note("A", at: start, in: world)
        #expect(try world.integrity() == [])
        try world.changeUserRecord(of: "A") { $0.seenDeviceCount = 0 }
        try world.changeUserRecord(of: "B") { $0.seenDeviceCount = 3 }
        let found = try world.integrity()
        #expect(found.count == 2 && found.allSatisfy { $0.hasSuffix(" devices ") }, "\(found)")
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for user: UserID in ["A", "B"] { _ = try Integrity.repair(user, in: ledger) }
        }
        #expect(try world.integrity() == [])
        #expect(try world.userRecord(of: "A")?.seenDeviceCount == 1)
    }

    @Test func noSequenceAndNoEventTellsOfIt() throws {
        let world = try World("A")
        let before = try #require(try world.userRecord(of: "A"))
        _ = try note("A", at: start, in: world)
        var after = try #require(try world.userRecord(of: "A"))
        #expect(after.lastSeenMs == start && after.seenDeviceCount == 1)
        (after.lastSeenMs, after.seenDeviceCount) = (0, 0)
        #expect(after == before)
    }
}
