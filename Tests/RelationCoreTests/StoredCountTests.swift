import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// Counts that a damaged store has too low: the calls that lower them answer, and a check of the
/// integrity finds the count and repairs it.
@Suite struct StoredCountTests {
    private static let users: [UserID] = ["A", "B", "C", "D", "E", "F", "G"]
    private static let day: Int64 = 24 * 3_600 * 1_000

    /// One count that is made too low, and a call that lowers it further.
    struct Case: Sendable, CustomTestStringConvertible {
        let finding: String
        let damage: @Sendable (World) throws -> Void
        let call: @Sendable (World) throws -> Bool

        var testDescription: String { finding }

        /// - Parameters:
        ///   - finding: The user and the name that the check has for the count.
        ///   - call: Whether its call was answered as if the count were right.
        init(
            _ finding: String, _ damage: @escaping @Sendable (World) throws -> Void,
            _ call: @escaping @Sendable (World) throws -> Bool
        ) {
            self.finding = finding
            self.damage = damage
            self.call = call
        }

        /// A count in a user record.
        init(
            _ finding: String, of user: UserID,
            _ damage: @escaping @Sendable (inout UserRecord) -> Void,
            _ call: @escaping @Sendable (World) throws -> Bool
        ) {
            self.init(finding, { try $0.changeUserRecord(of: user, damage) }, call)
        }
    }

    /// Users with one row or two of each kind that is counted.
    private func world() throws -> World {
        let world = try World("A", "B", "C", "D", "E", "F", "G")
        for friend in ["B", "E", "F"] as [UserID] { world.makeFriends("A", friend) }
        #expect(try world.createGroup("g", with: ["B"], of: "A").code == .success)
        for friend in ["E", "F"] as [UserID] {
            #expect(try world.delete(friend, from: "A", .both) == .success)
        }
        #expect(try world.block("C", by: "A") == .success)
        try world.allow(.needConfirm, for: "B")
        for _ in 1...2 {
            #expect(try world.add("B", to: "F").code == .pending)
            world.advance(milliseconds: 1)
            #expect(try world.respond(to: "F", of: "B", .reject) == .success)
        }
        #expect(try world.add("B", to: "D").code == .pending)
        #expect(try world.subscribe("A", to: "C") == .success)
        #expect(try world.subscribe("A", to: "B", .userProfile) == .success)
        #expect(try world.follow("A", "B") == .success)
        #expect(try world.follow("B", "A") == .success)
        #expect(try world.dismiss("B", for: "D") == .success)
        #expect(try world.invite(1, of: "A") == .success)
        #expect(try world.accept(1, by: "G") == .success)
        for name in ["r1", "r2"] { try Self.keep(name, in: world) }
        return world
    }

    /// Keeps an answer of A that names F.
    private static func keep(_ name: String, in world: World) throws {
        let answer: [UInt8] = [0x22, 3, 0x0A, 1, UInt8(ascii: "F")]
        try world.call(by: "A") { (ledger) throws(StorageError) in
            try Answers.store(answer, under: RequestID(name), digest: [1], of: "A", in: ledger)
        }
    }

    private static func erase(_ user: UserID, _ world: World) throws {
        _ = try world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start(user, erasing: .init(digest: ""), in: ledger)
        }
        try world.runJobs()
    }

    private func repair(_ world: World) throws {
        let missing = try world.read { (transaction) throws(StorageError) in
            var sums = FeedState()
            try Integrity.count(Self.users, into: &sums, app: world.app, in: transaction)
            return try Integrity.missing(from: sums, app: world.app, in: transaction)
        }
        for user in Self.users {
            try world.call(by: nil) { (ledger) throws(StorageError) in
                _ = try Integrity.repair(user, in: ledger)
            }
        }
        guard let missing else { return }
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try Integrity.repairCounts(missing, in: ledger)
        }
    }

    @Test(arguments: cases)
    func aCountThatIsTooLowEndsNothing(_ one: Case) throws {
        let world = try world()
        #expect(try world.integrity() == [])
        try one.damage(world)
        let parts = one.finding.split(separator: " ")
        let found = try world.integrity()
        #expect(
            found.contains { $0.hasPrefix("\(parts[0]): ") && $0.contains(" \(parts[1]) ") },
            "\(found)")
        #expect(try one.call(world))
        try repair(world)
        #expect(try world.integrity() == [])
    }

    /// A reader subtracts what has expired, of which the count may know less.
    @Test func aTotalIsNeverNegative() throws {
        let world = try world()
        try world.changeUserRecord(of: "A") {
            ($0.onlineSubscriptionCount, $0.profileSubscriptionCount) = (0, 0)
        }
        try world.changeUserRecord(of: "B") { $0.unreadCount = 0 }
        world.advance(milliseconds: Self.day)
        let (subscriptions, counts) = try world.read { (transaction) throws(StorageError) in
            let userRecord = try Tables.userRecords.record(
                world.app.partition(of: "A"), OnlyKey(), in: transaction)
            let asked = try Tables.userRecords.record(
                world.app.partition(of: "B"), OnlyKey(), in: transaction)
            return (
                try Subscriptions.count(
                    of: "A", userRecord ?? UserRecord(), nil, at: world.now, app: world.app,
                    in: transaction),
                try Applications.counts(
                    of: asked ?? UserRecord(), "B", world.app, cutoff: world.now.milliseconds,
                    in: transaction)
            )
        }
        #expect(subscriptions == 0)
        #expect((counts.comeIn, counts.sendOut, counts.unread) == (0, 0, 0))
    }

    static let cases = lists + relations + applications + kept

    private static let lists = [
        Case("A friend_count", of: "A", { $0.friendCount = 0 }) { world in
            try world.delete("B", from: "A") == .success
        },
        Case("A group_count", of: "A", { $0.groupCount = 0 }) { world in
            try world.deleteGroup("g", of: "A") == .success
        },
        Case("A group_member_count", noMembers) { world in
            try world.takeOutOfGroup("g", "B", of: "A") == [.success]
        },
        Case("A group_member_count", noMembers) { world in
            try world.delete("B", from: "A") == .success
        },
        Case("A friend_tombstone_count", of: "A", { $0.tombstoneCount = 1 }) { world in
            world.advance(milliseconds: world.settings.logLifetimeMs)
            return try world.importFriend("D", of: "A") == .success
        },
        Case("A blacklist_count", of: "A", { $0.blacklistCount = 0 }) { world in
            try world.unblock("C", by: "A") == .success
        },
    ]

    private static let relations = [
        Case("A online_subscription_count", of: "A", { $0.onlineSubscriptionCount = 0 }) { world in
            try world.unsubscribe("A", from: "C") == .success
        },
        Case("A profile_subscription_count", of: "A", { $0.profileSubscriptionCount = 0 }) {
            world in
            try world.unsubscribe("A", from: "B", .userProfile) == .success
        },
        Case(
            "C subscriber_count",
            { try $0.set(Tables.subscriberCounts, nil, of: "C", OnlyKey()) }
        ) { world in
            try world.unsubscribe("A", from: "C") == .success
        },
        Case("A following_count", of: "A", { $0.followingCount = 0 }) { world in
            try world.unfollow("A", "B") == .success
        },
        Case("B follow_count", { try $0.set(Tables.followCounts, nil, of: "B", OnlyKey()) }) {
            world in
            try world.unfollow("A", "B") == .success
        },
        Case("D dismissal_count", of: "D", { $0.dismissalCount = 0 }) { world in
            try world.restore("B", for: "D") == .success
        },
    ]

    private static let applications = [
        Case("B come_in_count", of: "B", { $0.comeInCount = 0 }, renew),
        Case("B unread_count", of: "B", { $0.unreadCount = 0 }, renew),
        Case("B unread_count", of: "B", { $0.unreadCount = 0 }) { world in
            try world.withdraw(from: "B", of: "D") == .success
        },
        Case("D send_out_count", of: "D", { $0.sendOutCount = 0 }, renew),
        Case("B handled_count", of: "B", { $0.handledCount = 0 }) { world in
            world.advance(milliseconds: Limits.handledApplicationMilliseconds + 1)
            let asked = try world.add("B", to: "G").code
            let withdrawn = try world.withdraw(from: "B", of: "G")
            return asked == .pending && withdrawn == .success
        },
        Case("B handled_count", of: "B", { $0.handledCount = 1 }) { world in
            try erase("F", world)
            return try world.rows(of: Tables.handledApplications, of: "B").isEmpty
        },
    ]

    private static let kept = [
        Case("A answer_count", of: "A", { $0.answerCount = 0 }) { world in
            world.advance(milliseconds: day)
            try keep("new", in: world)
            return try world.rows(of: Tables.answers, of: "A").count == 1
        },
        Case("A answer_count", of: "A", { $0.answerCount = 1 }) { world in
            try erase("F", world)
            return try world.rows(of: Tables.answers, of: "A").isEmpty
        },
        Case("G invitation_use_count", of: "G", { $0.invitationUseCount = 0 }) { world in
            world.advance(milliseconds: day)
            let made = try world.invite(2, of: "C")
            let accepted = try world.accept(2, by: "G")
            return made == .success && accepted == .success
        },
    ]

    @Sendable private static func noMembers(_ world: World) throws {
        let name = GroupName("g")
        let groups = try world.rows(of: Tables.groups, of: "A")
        var group = try #require(groups.first { $0.key == name }).record
        group.memberCount = 0
        try world.set(Tables.groups, group, of: "A", name)
    }

    /// D asks B again: the application is counted out and in.
    @Sendable private static func renew(_ world: World) throws -> Bool {
        world.advance(milliseconds: 1)
        return try world.add("B", to: "D") { $0.wording = "again" }.code == .pending
    }
}
