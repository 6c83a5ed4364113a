import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// The windows in which an app counts applications.
@Suite struct AddWindowTests {
    private static let users: [UserID] = ["A", "B", "C", "D"]
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 86_400_000
    private static let midnight = World.start / day * day

    private func world(_ edit: (inout AppSettings) -> Void) throws -> World {
        var settings = AppSettings.tim
        settings.defaultAllowType = .needConfirm
        edit(&settings)
        let world = try World(settings: settings)
        try world.create(Self.users)
        world.now = Timestamp(milliseconds: Self.midnight)
        return world
    }

    private func isWhole(_ world: World) throws -> Bool {
        let findings = try Audit(world, Self.users).findings
        return try findings.isEmpty && world.integrity().isEmpty
    }

    private let tooMany = FriendOutcome(.addRestricted, Reason.FriendAdd.restricted)
    private let tooManyForPeer = FriendOutcome(.addRestricted, Reason.FriendAdd.peerRestricted)

    // MARK: The name of a window

    @Test func aWindowIsNamedByTheDayOrTheMillisecondOfItsBegin() {
        let (day, days) = (Self.day, Self.midnight / Self.day)
        func window(_ ms: Int64, _ length: Int64) -> Int64 {
            Timestamp(milliseconds: Self.midnight + ms).window(ofMs: length)
        }
        #expect(window(0, day) == days && window(day - 1, day) == days)
        #expect(window(day, day) == days + 1 && window(-1, day) == days - 1)
        #expect(window(Self.hour - 1, Self.hour) == days, "this hour begins at midnight")
        #expect(window(Self.hour, Self.hour) == Self.midnight + Self.hour)
        #expect(window(2 * Self.hour - 1, Self.hour) == Self.midnight + Self.hour)
        // Windows of a week begin on Thursdays, as 1970 did.
        let thursday = days / 7 * 7 * day - Self.midnight
        #expect(window(thursday, 7 * day) == days / 7 * 7)
        #expect(window(thursday + 7 * day - 1, 7 * day) == days / 7 * 7)
        #expect(window(thursday + 7 * day, 7 * day) == days / 7 * 7 + 7)
    }

    // MARK: What counts

    @Test(arguments: [minute, hour, day, 6 * hour, 90 * minute, 2 * day])
    func whatIsSentCountsUntilTheEndOfTheWindow(_ length: Int64) throws {
        let world = try world {
            $0.applicationsPerDay = 2
            $0.applicationsWindowMs = length
        }
        world.now = Timestamp(milliseconds: World.start / length * length)
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.add("C", to: "A").code == .pending)
        #expect(try world.add("D", to: "A") == tooMany)
        // A renewal is no further one, and others have their own count.
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.add("D", to: "B").code == .pending)
        world.advance(milliseconds: length - 1)
        #expect(try world.add("D", to: "A") == tooMany)
        world.advance(milliseconds: 1)
        #expect(try world.add("D", to: "A").code == .pending)
        let record = try #require(try world.userRecord(of: "A"))
        #expect(record.applicationsSent(at: world.now, world.settings) == 1)
        #expect(try isWhole(world))
    }

    @Test func whatComesInHasAWindowOfItsOwn() throws {
        let world = try world {
            $0.applicationsPerDay = 1
            $0.applicationsReceivedPerDay = 1
            $0.applicationsReceivedWindowMs = Self.hour
        }
        #expect(try world.add("A", to: "B").code == .pending)
        #expect(try world.add("A", to: "C") == tooManyForPeer)
        world.advance(milliseconds: Self.hour - 1)
        #expect(try world.add("A", to: "C") == tooManyForPeer)
        world.advance(milliseconds: 1)
        #expect(try world.add("A", to: "C").code == .pending)
        #expect(try world.add("A", to: "D") == tooManyForPeer)
        // The windows of what is sent are days still.
        #expect(try world.add("D", to: "C") == tooMany)
        #expect(try isWhole(world))
    }

    // MARK: Another length

    @Test func anotherLengthBeginsTheCountAnew() throws {
        let world = try world { $0.applicationsPerDay = 1 }
        world.advance(milliseconds: Self.hour + 5)
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.add("C", to: "A") == tooMany)
        world.settings.applicationsWindowMs = Self.hour
        #expect(try world.add("C", to: "A").code == .pending)
        #expect(try world.add("D", to: "A") == tooMany)
    }

    @Test func theCountGoesOnIfBothWindowsBeganTogether() throws {
        let world = try world {
            $0.applicationsPerDay = 1
            $0.applicationsWindowMs = Self.minute
        }
        #expect(try world.add("B", to: "A").code == .pending)
        for length in [Self.hour, 5 * Self.minute, Self.day] {
            world.settings.applicationsWindowMs = length
            #expect(try world.add("C", to: "A") == tooMany, "\(length)")
        }
        world.advance(milliseconds: Self.minute)
        world.settings.applicationsWindowMs = Self.minute
        #expect(try world.add("C", to: "A").code == .pending)
    }

    // MARK: Explained and marked

    @Test func anExplanationCountsInTheWindow() throws {
        let world = try world {
            $0.applicationsPerDay = 1
            $0.applicationsWindowMs = Self.hour
            $0.applicationsReceivedPerDay = 1
            $0.applicationsReceivedWindowMs = 2 * Self.hour
        }
        func counts(_ other: UserID, by user: UserID) throws -> [String: Int64] {
            let rungs = try world.explainAdd(other, to: user).rungs
            return Dictionary(
                uniqueKeysWithValues: rungs.compactMap { rung in
                    guard rung.kind == .applicationsSent || rung.kind == .applicationsReceived,
                        let bound = rung.bound, let setting = rung.setting
                    else { return nil }
                    return (setting.name, bound.count)
                })
        }
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try counts("C", by: "A") == ["applications_per_day": 1])
        world.advance(milliseconds: Self.hour)
        #expect(
            try counts("C", by: "A")
                == ["applications_per_day": 0, "applications_received_per_day": 0])
        #expect(try counts("B", by: "C")["applications_received_per_day"] == 1)
        world.advance(milliseconds: Self.hour)
        #expect(try counts("B", by: "C")["applications_received_per_day"] == 0)
    }
}
