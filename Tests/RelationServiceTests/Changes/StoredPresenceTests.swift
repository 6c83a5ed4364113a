import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationChanges
@testable import RelationService

/// Presence with the devices that only the store knows.
@Suite struct StoredPresenceTests {
    private let start = World.start

    private func report(_ device: String, online: Bool = true) -> PresenceBoard.Report {
        PresenceBoard.Report(
            user: "A", deviceID: device, platform: "ios", online: online,
            leaseMs: online ? 60_000 : 0)
    }

    private func note(_ device: String, at milliseconds: Int64, in world: World) throws {
        let seen = SeenDevice(device, platform: "web", seenMs: start + milliseconds)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try LastSeen.note("A", on: seen, isOffline: true, in: ledger)
        }
    }

    /// The presence of each of `users`, without those that are hidden.
    private func presence(
        of users: [UserID] = ["A"], _ board: PresenceBoard, hiding areHidden: [Bool]? = nil,
        in world: World
    ) throws -> [Presence?] {
        try world.read { (transaction) throws(StorageError) in
            try board.presence(
                of: users, with: Accounts.records(of: users, app: world.app, in: transaction),
                hiding: areHidden, app: world.app, at: world.now, in: transaction)
        }
    }

    private func notified(_ presence: Presence?) -> [String] {
        (presence?.devices ?? []).map {
            "\($0.deviceID) \($0.platform) \($0.online ? "+" : "-")\($0.changeTimeMs - start)"
        }
    }

    @Test func aBoardThatKnowsNothingShowsWhenEachStoredDeviceWasSeen() throws {
        let world = try World("A", "B")
        try note("phone", at: -90_000, in: world)
        try note("desk", at: -10_000, in: world)
        let found = try presence(of: ["A", "B", "C"], PresenceBoard(), in: world)
        #expect(notified(found[0]) == ["desk web --10000", "phone web --90000"])
        #expect(found[0]?.online == false)
        #expect(found[0]?.lastSeenTimeMs == start - 10_000)
        #expect(found[1] == Presence(of: "B", []))
        #expect(found[2] == nil)
    }

    @Test func aDeviceThatTheBoardKnowsIsAsTheBoardKnowsIt() throws {
        let world = try World("A")
        try note("phone", at: -90_000, in: world)
        try note("desk", at: -80_000, in: world)
        let board = PresenceBoard()
        board.report([report("phone")], app: world.app.id, at: world.now)
        let found = try presence(board, in: world)
        #expect(notified(found[0]) == ["desk web --80000", "phone ios +0"])
        #expect(found[0]?.online == true && found[0]?.lastSeenTimeMs == 0)
        board.report([report("phone", online: false)], app: world.app.id, at: world.now)
        let left = try presence(board, in: world)
        #expect(notified(left[0]) == ["desk web --80000", "phone ios -0"])
        #expect(left[0]?.lastSeenTimeMs == start)
    }

    @Test func nothingIsTakenOfAUserWhosePresenceIsHidden() throws {
        let world = try World("A", "B")
        try note("phone", at: -90_000, in: world)
        let found = try presence(
            of: ["A", "B"], PresenceBoard(), hiding: [true, false], in: world)
        #expect(found == [nil, Presence(of: "B", [])])
    }

    @Test func noMoreDevicesAreShownThanAUserMayHave() throws {
        let world = try World("A")
        let most = Limits.devicesPerUser
        for number in 0..<most {
            try note("s\(10 + number)", at: Int64(number) - 90_000, in: world)
        }
        let board = PresenceBoard()
        for number in 0..<most - 1 {
            board.report([report("b\(10 + number)")], app: world.app.id, at: world.now)
        }
        let devices = notified(try presence(board, in: world)[0])
        // The stored device that was seen last has the place that is left.
        #expect(devices.count == most)
        #expect(devices.last == "s\(9 + most) web -\(most - 1 - 90_000)")
    }
}
