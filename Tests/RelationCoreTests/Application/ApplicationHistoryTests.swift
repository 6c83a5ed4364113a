import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// ListApplications: the applications that wait and those that have ended, and how long they are
/// kept.
@Suite struct ApplicationHistoryTests {
    private static let day: Int64 = 24 * 3_600 * 1_000

    /// The ways in which an application of A to B ends, and the status that each side's history
    /// then has.
    enum End: String, CaseIterable {
        case agree, agreeAndAdd, reject, withdraw, blockedByAsked, blockedByApplicant, crossing
        case becameFriends, imported, accountOfApplicantGone, accountOfAskedGone

        var status: ApplicationStatus {
            switch self {
            case .agree, .agreeAndAdd, .crossing, .becameFriends, .imported: .accepted
            case .reject, .blockedByAsked, .accountOfAskedGone: .refused
            case .withdraw, .blockedByApplicant, .accountOfApplicantGone: .withdrawn
            }
        }

        func happen(in world: World) throws -> FriendOutcome {
            switch self {
            case .agree: return try world.respond(to: "A", of: "B", .agree)
            case .agreeAndAdd: return try world.respond(to: "A", of: "B", .agreeAndAdd)
            case .reject: return try world.respond(to: "A", of: "B", .reject)
            case .withdraw: return try world.withdraw(from: "B", of: "A")
            case .blockedByAsked: return try world.block("A", by: "B")
            case .blockedByApplicant: return try world.block("B", by: "A")
            case .crossing: return try world.add("A", to: "B", .both)
            case .becameFriends:
                try world.allow(.allowAny, for: "B")
                return try world.add("B", to: "A", .single)
            case .imported: return try world.importFriend("B", of: "A")
            case .accountOfApplicantGone, .accountOfAskedGone:
                try world.deleteAccount(try #require(userGone))
                try world.runJobs()
                return .success
            }
        }

        /// The user whose account was deleted; nil if both still have theirs.
        var userGone: UserID? {
            switch self {
            case .accountOfApplicantGone: "A"
            case .accountOfAskedGone: "B"
            default: nil
            }
        }
    }

    @Test(arguments: End.allCases)
    func everyEndMovesTheApplicationIntoBothHistories(_ end: End) throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        try #require(
            try world.add("B", to: "A") {
                $0.wording = "hello"
                $0.source = "AddSource_Type_Web"
                $0.remark = "mine"
                $0.group = "work"
            }.code == .pending)
        let id = try #require(try world.pendency(.sendOut, with: "B", of: "A")?.applicationID)
        world.advance(milliseconds: 60)
        let before = try (world.userRecord(of: "A")!.sequence, world.userRecord(of: "B")!.sequence)
        #expect(try end.happen(in: world) == .success)
        let sides: [(UserID, UserID, PendencyType, Int64)] = [
            ("A", "B", .sendOut, before.0), ("B", "A", .comeIn, before.1),
        ]
        for (user, other, type, count) in sides {
            guard user != end.userGone else {
                #expect(try world.kinds(of: user) == [Tables.departed.kind])
                continue
            }
            #expect(try world.pendencies(of: user).items.isEmpty)
            let lines = try world.applications(of: user).lines
            #expect(lines.map(\.status) == [end.status])
            let line = try #require(lines.first)
            #expect(line.position == .init(timeMs: World.start + 60, type: type, user: other))
            #expect(line.record.userID == other.text && line.record.applicationID == id)
            #expect(line.record.timeMs == World.start && line.record.wording == "hello")
            #expect(line.record.source == "AddSource_Type_Web")
            #expect(line.record.remark.isEmpty && line.record.group.isEmpty)
            let notified = try world.events(of: user, after: count).filter {
                $0.kind == .deleteFriendRequest
            }
            #expect(notified.map { $0.items.map(\.application?.status) } == [[end.status]])
            #expect(notified.first?.items.first?.application?.applicationID == id)
        }
        #expect(try Audit(world, ["A", "B"], sharp: end != .imported).findings == [])
    }

    /// "A" with an application of every status and side, oldest first.
    private func worldOfAll() throws -> World {
        let world = try World("A", "B", "C", "D", "E", "F")
        for user: UserID in ["A", "B", "C", "D", "E", "F"] {
            try world.allow(.needConfirm, for: user)
        }
        world.settings.applicationLifetimeMs = 1_000
        #expect(try world.add("A", to: "B", .single).code == .pending)
        world.advance(milliseconds: 2_000)
        for user: UserID in ["C", "D"] { _ = try world.add("A", to: user, .single) }
        for user: UserID in ["C", "E", "F"] { _ = try world.add(user, to: "A", .single) }
        #expect(try world.respond(to: "C", of: "A", .agree) == .success)
        #expect(try world.respond(to: "A", of: "E", .reject) == .success)
        #expect(try world.withdraw(from: "F", of: "A") == .success)
        return world
    }

    private func names(_ lines: ApplicationRules.Lines) -> [String] {
        lines.lines.map { "\($0.position.type == .comeIn ? "from" : "to") \($0.position.user)" }
    }

    @Test(arguments: [false, true])
    func aFilterOfSideAndStatusNamesExactlyThose(_ isSwept: Bool) throws {
        let world = try worldOfAll()
        if isSwept { #expect(try world.sweep() == 1) }
        let all = try world.applications(of: "A")
        #expect(all.total == 6 && all.remaining == 6)
        let cases: [(PendencyType, Set<ApplicationStatus>, Set<String>)] = [
            (.both, [.unhandled], ["from D", "to C"]),
            (.comeIn, [.unhandled], ["from D"]),
            (.sendOut, [.unhandled], ["to C"]),
            (.both, [.accepted], ["from C"]),
            (.both, [.refused], ["to E"]),
            (.both, [.withdrawn], ["to F"]),
            (.both, [.expired], ["from B"]),
            (.sendOut, [.expired], []),
            (.comeIn, [], ["from B", "from C", "from D"]),
            (.both, [.accepted, .refused], ["from C", "to E"]),
            (.both, [], Set(names(all))),
        ]
        for (type, statuses, wanted) in cases {
            let found = try world.applications(of: "A") {
                $0.type = type
                $0.statuses = statuses
            }
            #expect(Set(names(found)) == wanted && found.total == wanted.count)
        }
        #expect(try Audit(world, ["A", "B", "C", "D", "E", "F"]).findings == [])
    }

    @Test(arguments: [1, 2, 5, 6, 7], [false, true])
    func pagesInEitherOrderMakeTheWholeList(_ limit: Int, _ isAscending: Bool) throws {
        let world = try worldOfAll()
        let all = try world.applications(of: "A") { $0.isAscending = isAscending }
        let positions = all.lines.map(\.position)
        #expect(positions.count == 6)
        #expect(positions == (isAscending ? positions.sorted() : positions.sorted(by: >)))
        var seen: [ApplicationRules.Position] = []
        while true {
            let page = try world.applications(of: "A", after: seen.last, limit: limit) {
                $0.isAscending = isAscending
            }
            #expect(page.total == 6 && page.remaining == 6 - seen.count)
            #expect(page.lines.count == min(limit, page.remaining))
            seen += page.lines.map(\.position)
            if page.remaining <= limit { break }
        }
        #expect(seen == positions)
        for line in all.lines {
            #expect(line.record.userID == line.position.user.text)
            #expect((line.status == .unhandled) == (line.record.timeMs == line.position.timeMs))
        }
    }

    @Test func theHistoryKeepsTheLastTwoHundred() throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        var ids: [String] = []
        for number in 0..<Limits.handledApplications + 5 {
            world.advance(milliseconds: 1_000)
            #expect(try world.add("B", to: "A").code == .pending)
            let record = try #require(try world.pendency(.sendOut, with: "B", of: "A"))
            ids.append(record.applicationID)
            #expect(try world.respond(to: "A", of: "B", .reject) == .success)
            let kept = try world.applications(of: "B").total
            #expect(kept == min(number + 1, Limits.handledApplications))
        }
        #expect(Set(ids).count == ids.count, "a new application has a new id, for ever")
        for user: UserID in ["A", "B"] {
            let lines = try world.applications(of: user) { $0.isAscending = true }.lines
            #expect(lines.map(\.record.applicationID) == Array(ids.suffix(200)))
        }
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func theHistoryKeepsWhatEndedForNinetyDays() throws {
        let world = try World("A", "B", "C")
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.add("B", to: "C").code == .pending)
        // The time counts from the end, and this application waited for long.
        world.advance(milliseconds: 100 * Self.day)
        #expect(try world.respond(to: "A", of: "B", .reject) == .success)
        world.advance(milliseconds: 90 * Self.day - 1)
        #expect(try world.applications(of: "B") { $0.statuses = [.refused] }.total == 1)
        world.advance(milliseconds: 1)
        #expect(try world.applications(of: "B") { $0.statuses = [.refused] }.total == 0)
        #expect(try world.applications(of: "B").total == 1, "what waits is always listed")
        // The next record that comes removes the row.
        #expect(try world.userRecord(of: "B")?.handledCount == 1)
        #expect(try world.respond(to: "C", of: "B", .reject) == .success)
        #expect(try world.userRecord(of: "B")?.handledCount == 1)
        #expect(try world.applications(of: "B").lines.map(\.position.user) == ["C"])
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func oldHistoryGoesInBoundedSteps() throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        for number in 0..<31 {
            if number == 30 { world.advance(milliseconds: 200 * Self.day) }
            #expect(try world.add("B", to: "A").code == .pending)
            #expect(try world.withdraw(from: "B", of: "A") == .success)
        }
        var counts = [Int(try #require(try world.userRecord(of: "B")).handledCount)]
        for _ in 0..<3 {
            #expect(try world.add("B", to: "A").code == .pending)
            #expect(try world.withdraw(from: "B", of: "A") == .success)
            counts.append(Int(try #require(try world.userRecord(of: "B")).handledCount))
        }
        #expect(counts == [23, 16, 9, 4], "each end takes up to 8 of them along")
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func whoeverRefusedOrWasRefusedLatelyIsKnown() throws {
        let world = try World("A", "B", "C", "D")
        for user: UserID in ["A", "B", "C", "D"] { try world.allow(.needConfirm, for: user) }
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.respond(to: "A", of: "B", .reject) == .success)
        world.advance(milliseconds: Self.day)
        #expect(try world.add("A", to: "C").code == .pending)
        #expect(try world.respond(to: "C", of: "A", .reject) == .success)
        #expect(try world.add("D", to: "A").code == .pending)
        #expect(try world.withdraw(from: "D", of: "A") == .success)
        func refused(_ user: UserID, after milliseconds: Int64) throws -> Set<UserID> {
            try world.read { (transaction) throws(StorageError) in
                try ApplicationHistory.refused(
                    of: user, after: Timestamp(milliseconds: World.start + milliseconds),
                    app: world.app, in: transaction)
            }
        }
        #expect(try refused("A", after: -1) == ["B", "C"])
        #expect(try refused("A", after: Self.day / 2) == ["C"])
        #expect(try refused("A", after: Self.day + 1) == [])
        #expect(try refused("C", after: -1) == ["A"] && refused("D", after: -1) == [])
    }

    @Test func anAccountsApplicationsAndHistoryGoInBoundedBatches() throws {
        let world = try World("A")
        try world.allow(.needConfirm, for: "A")
        let users = (0..<60).map { UserID(stored: "user\($0)".utf8) }
        try world.create(users)
        for (number, user) in users.enumerated() {
            try world.allow(.needConfirm, for: user)
            if number % 3 == 2 {
                #expect(try world.add(user, to: "A", .single).code == .pending)
                #expect(try world.respond(to: "A", of: user, .reject) == .success)
            }
            #expect(try world.add("A", to: user, .single).code == .pending)
            if number < 20 {
                #expect(try world.add(user, to: "A", .single).code == .pending)
            }
        }
        #expect(try world.userRecord(of: "A")?.handledCount == 20)
        func rowsOfA() throws -> Int { try world.kinds(of: "A").count }
        func waits() throws -> Int { try world.rows(of: Tables.pendencies, of: "A").count }

        try world.deleteAccount("A")
        var counts = [try waits()]
        var rows = try rowsOfA()
        var steps = 0
        while try !world.stepJob() {
            steps += 1
            counts.append(try waits())
            let left = try rowsOfA()
            #expect(rows - left <= Limits.rowsPerMaintenanceStep)
            rows = left
        }
        #expect(counts.first == 80 && counts.last == 0)
        #expect(steps >= 2)
        // Each of them has five rows on the two sides.
        let most = Limits.rowsPerMaintenanceStep / 5
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 - $1 <= most })
        #expect(try world.rows(of: Tables.handledApplications, of: "A").isEmpty)
        #expect(try world.applications(of: "user0").lines.map(\.status) == [.withdrawn, .refused])
        for user in users {
            let lines = try world.applications(of: user).lines
            #expect(!lines.isEmpty && lines.allSatisfy { $0.status != .unhandled })
        }
        #expect(try Audit(world, ["A"] + users).findings == [])

        #expect(try world.make("A") == .made)
        let userRecord = try #require(try world.userRecord(of: "A"))
        #expect(userRecord.handledCount == 0 && userRecord.oldestHandledMs == 0)
        #expect(try world.applications(of: "A").total == 0)
    }
}
