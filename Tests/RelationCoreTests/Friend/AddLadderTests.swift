import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The ladder of AddFriends: with all obstacles at once the first one decides the answer; it is
/// removed, and the next one decides, down to the end.
@Suite struct AddLadderTests {
    /// One way down the ladder: its obstacles, and the end without them.
    struct Way: CustomTestStringConvertible, Sendable {
        let name: String
        var type = AddType.both
        var isForced = false
        /// The allow type of B once it denies no longer.
        let rest: AllowType
        /// Whether an application of B waits for A.
        var hasMet = false
        let obstacles: [Obstacle]
        let end: FriendStatus

        var testDescription: String { name }
    }

    static let first: [Obstacle] = [
        .unknown, .mayNotSend, .onMyBlacklist, .onTheirBlacklist, .friends, .forbiddenWord,
    ]
    /// The obstacles to an application.
    ///
    /// The limit of applications a day is checked only where an application would be made, so
    /// beside a denial it has no effect.
    static let asking: [Obstacle] = [.denyAny, .sentTooMany, .mySendOutFull, .theirComeInFull]
    static let rows: [Obstacle] = [.myListFull, .theirListFull, .groupLimit]

    static let ways: [Way] = [
        Way(
            name: "B allows any user", rest: .allowAny, obstacles: first + [.denyAny] + rows,
            end: .success),
        Way(
            name: "B wants to confirm", rest: .needConfirm, obstacles: first + asking,
            end: .pending),
        Way(
            name: "B wants to confirm, for one row", type: .single, rest: .needConfirm,
            obstacles: first + asking, end: .pending),
        Way(
            name: "for one row B's list may be full", type: .single, rest: .allowAny,
            obstacles: first + [.denyAny, .myListFull, .groupLimit], end: .success),
        Way(
            name: "force skips the allow type alone", isForced: true, rest: .denyAny,
            obstacles: first + rows, end: .success),
        Way(
            name: "force needs no confirmation", isForced: true, rest: .needConfirm,
            obstacles: first + rows, end: .success),
        Way(
            name: "B applied itself, and denies others", rest: .denyAny, hasMet: true,
            obstacles: first + rows, end: .success),
        Way(
            name: "B applied itself, and confirms others", rest: .needConfirm, hasMet: true,
            obstacles: first + rows, end: .success),
        Way(
            name: "B applied itself, but one row does not meet it", type: .single,
            rest: .needConfirm, hasMet: true, obstacles: first + asking, end: .pending),
    ]

    /// A world with all obstacles, those included that are not on the way.
    static func world(on way: Way) throws -> World {
        let world = try World("A", "B")
        world.settings.applicationsPerDay = 3
        var profile = ProfileRecord()
        profile.allowType = way.rest
        try world.set(Tables.profiles, profile, of: "B", OnlyKey())
        if way.hasMet {
            try world.set(
                Tables.pendencies, PendencyRecord(), of: "A", PendencyKey(.comeIn, "B"))
            try world.changeUserRecord(of: "A") { $0.comeInCount = 1 }
        }
        // Obstacles further down must not decide earlier, so all of them are set.
        for obstacle in Obstacle.allCases.reversed()
        where obstacle != .denyAny || way.obstacles.contains(.denyAny) {
            try obstacle.set(true, in: world, rest: way.rest)
        }
        return world
    }

    @Test(arguments: ways)
    func theFirstCaseThatAppliesAnswers(_ way: Way) throws {
        let world = try Self.world(on: way)
        func add() throws(StorageError) -> FriendOutcome {
            try world.add("B", to: "A", way.type, force: way.isForced) {
                $0.group = "chess"
                $0.wording = "no worse word"
            }
        }
        for obstacle in way.obstacles {
            let before = try world.snapshot(of: ["A", "B"])
            let answer = try add()
            #expect(answer == obstacle.answer, "\(obstacle)")
            #expect(answer.code.rawValue == obstacle.code, "\(obstacle)")
            #expect(try world.snapshot(of: ["A", "B"]) == before, "\(obstacle) wrote something")
            try obstacle.set(false, in: world, rest: way.rest)
        }
        #expect(try add().code == way.end)
    }

    @Test(arguments: [AddType.single, .both], [false, true])
    func noUserAddsItself(_ type: AddType, _ force: Bool) throws {
        let world = try World("A", "B")
        for obstacle in Obstacle.allCases { try obstacle.set(true, in: world, rest: .allowAny) }
        let answer = try world.add("A", to: "A", type, force: force)
        #expect(answer == FriendOutcome(.invalidParameter, Reason.FriendAdd.oneself))
        #expect(answer.code.rawValue == 30001)
    }

    @Test func applicationsOfADayAreCountedUntilMidnightUTC() throws {
        let world = try World("A", "B", "C", "D")
        world.settings.applicationsPerDay = 2
        for user: UserID in ["B", "C", "D"] { try world.allow(.needConfirm, for: user) }
        world.now = Timestamp(milliseconds: World.start / 86_400_000 * 86_400_000)
        #expect(try world.add("B", to: "A").code == .pending)
        world.advance(milliseconds: 86_400_000 - 1)
        #expect(try world.add("C", to: "A").code == .pending)
        #expect(try world.add("D", to: "A").code == .addRestricted)
        #expect(try world.add("B", to: "C").code == .pending)
        world.advance(milliseconds: 1)
        #expect(try world.add("D", to: "A").code == .pending)
        #expect(try world.userRecord(of: "A")?.applicationsToday == 1)
    }

    @Test func aRenewalIsNoFurtherApplicationOfTheDay() throws {
        let world = try World("A", "B", "C")
        world.settings.applicationsPerDay = 1
        for user: UserID in ["B", "C"] { try world.allow(.needConfirm, for: user) }
        for _ in 1...3 { #expect(try world.add("B", to: "A").code == .pending) }
        #expect(try world.userRecord(of: "A")?.applicationsToday == 1)
        // An application that is hidden on either side is still the same.
        #expect(try world.deletePendency(.sendOut, with: "B", of: "A") == .success)
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.deletePendency(.comeIn, with: "A", of: "B") == .success)
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.userRecord(of: "A")?.applicationsToday == 1)
        #expect(try world.add("C", to: "A").code == .addRestricted)
    }

    @Test func whatMakesNoApplicationIsNotRestricted() throws {
        let world = try World("A", "B", "C", "D", "E", "F")
        world.settings.applicationsPerDay = 1
        for user: UserID in ["A", "B", "D", "E"] { try world.allow(.needConfirm, for: user) }
        try world.allow(.denyAny, for: "F")
        #expect(try world.add("A", to: "E").code == .pending)
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.add("D", to: "A").code == .addRestricted)
        #expect(try world.add("C", to: "A") == .success, "C lets any user add it")
        #expect(try world.add("E", to: "A") == .success, "E applied itself")
        #expect(try world.add("D", to: "A", force: true) == .success)
        #expect(try world.add("F", to: "A").code == .friendSideForbidsAdd)
    }

    @Test func anAddThatNeedsNoConsentIsNoApplicationOfTheDay() throws {
        let world = try World("A", "B", "C", "D")
        world.settings.applicationsPerDay = 1
        try world.allow(.needConfirm, for: "D")
        for user: UserID in ["B", "C"] { #expect(try world.add(user, to: "A") == .success) }
        #expect(try world.add("D", to: "A").code == .pending)
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.userRecord(of: "A")?.applicationsToday == 1)
    }

    @Test func anUnsetAllowTypeIsTheAppsDefault() throws {
        let world = try World("A", "B")
        world.settings.defaultAllowType = .denyAny
        #expect(try world.add("B", to: "A").code == .friendSideForbidsAdd)
        world.settings.defaultAllowType = .needConfirm
        #expect(try world.add("B", to: "A").code == .pending)
        world.settings.defaultAllowType = .allowAny
        #expect(try world.add("B", to: "A").code == .success)
    }

    @Test(arguments: ["worse", "WoRsE", "a worse one"], [0, 1, 2])
    func aForbiddenWordIsFoundInEveryText(_ text: String, _ field: Int) throws {
        let world = try World("A", "B")
        world.settings.forbiddenWords = ["worse"]
        let answer = try world.add("B", to: "A") {
            switch field {
            case 0: $0.remark = text
            case 1: $0.wording = text
            default: $0.group = text
            }
        }
        #expect(answer.code == .sensitiveText)
    }
}
