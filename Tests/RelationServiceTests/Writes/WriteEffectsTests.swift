import Foundation
import Protobuf
import RelationAPI
import RelationChanges
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore
@testable import RelationService

/// Dry runs that list their rows: the rows are those that the same write then makes.
@Suite struct WriteEffectsTests {
    /// Random calls of all kinds, until each write that has a dry run was seen to list rows.
    ///
    /// `RELATION_SEED=n` begins with that history.
    @Test func aDryRunListsTheRowsOfEachWrite() throws {
        let imports: Set = [
            "ImportFriends", "ImportBlacklists", "ImportFollows", "ImportProfiles",
            "ImportAccounts", "ImportApp",
        ]
        let writes = Set(ServiceTable.all.filter { $0.access == .write }.map(\.name))
            .subtracting(imports)
        let first =
            ProcessInfo.processInfo.environment["RELATION_SEED"].flatMap { UInt64($0) } ?? 1
        var run = ComparedEffects()
        for seed in first..<first + 200 where seed < first + 3 || run.seen != writes {
            try run.send(400, seed: seed)
        }
        #expect(run.seen == writes)
        #expect(run.refused > 0 && run.heldBack > 0)
    }

    private func harness() throws -> ServiceHarness {
        let harness = ServiceHarness(try World("A", "B"))
        try harness.register()
        return harness
    }

    private func add(_ options: WriteOptions) -> AddFriendsRequest {
        var request = AddFriendsRequest()
        (request.userID, request.options) = ("A", options)
        request.items = [AddFriend.with { $0.userID = "B" }]
        return request
    }

    private static let listing = WriteOptions.with { ($0.dryRun, $0.listEffects) = (true, true) }

    @Test func onlyAnAdministratorGetsThem() throws {
        let harness = try harness()
        let request = add(Self.listing)
        let answered = try harness.write(
            FriendMethods.addFriends, request, FriendHandlers.addFriends
        ).get()
        let effects = try #require(answered.effects)
        #expect(effects.rowCount == Int64(effects.rows.count) && !effects.cut)
        #expect(effects.events.map(\.kind) == ["CHANGE_KIND_ADD_FRIEND", "CHANGE_KIND_ADD_FRIEND"])
        #expect(effects.rowBytes == effects.rows.reduce(0) { $0 + $1.bytes })

        harness.isAdmin = false
        var plain = try harness.write(
            FriendMethods.addFriends, request, FriendHandlers.addFriends
        ).get()
        #expect(plain.effects == nil)
        plain.effects = answered.effects
        #expect(plain == answered)
    }

    @Test func aDryRunThatDoesNotAskGetsNone() throws {
        let harness = try harness()
        let answered = try harness.write(
            FriendMethods.addFriends, add(WriteOptions.with { $0.dryRun = true }),
            FriendHandlers.addFriends
        ).get()
        #expect(answered.effects == nil)
    }

    /// The answer that a request id keeps is a row of the write too.
    @Test func theKeptAnswerIsListed() throws {
        let store = ComparingStore()
        let harness = ServiceHarness(try World("A", "B", on: store))
        try harness.register()
        var options = Self.listing
        options.requestID = "r1"
        let answered = try harness.write(
            FriendMethods.addFriends, add(options), FriendHandlers.addFriends
        ).get()
        _ = store.take()
        let real = WriteOptions.with { $0.requestID = "r1" }
        _ = try harness.write(
            FriendMethods.addFriends, add(real), FriendHandlers.addFriends
        ).get()
        let made = store.take().filter { $0.kind == Tables.answers.kind }
        let listed = answered.effects?.rows.filter { $0.table == "kept_answers" }
        #expect(made.count == 1)
        #expect(listed?.map(\.key) == ["r1"])
        #expect(listed?.map(\.bytes) == made.map { Int64($0.bytes) })
    }
}

/// Random calls of all kinds, each as a dry run first, and then in earnest.
private struct ComparedEffects {
    /// The writes whose dry run listed rows.
    private(set) var seen: Set<String> = []
    private(set) var refused = 0
    private(set) var heldBack = 0

    /// The writes that choose something at random: the keys of their rows differ each time.
    private static let choosing: Set = [
        "CreateApp", "CreateCredential", "CreateHook", "CreateInvitation", "CreateOperatorKey",
        "RotateAppSecret", "RotateHookSecret", "RegisterClientApp", "TestHook",
        "AcquireConsumer",
    ]

    private struct Row: Hashable, Comparable, CustomStringConvertible {
        var table = ""
        var owner = ""
        var key = ""
        var isDeleted = false
        var bytes: Int64 = 0

        var description: String {
            "\(isDeleted ? "-" : "+")\(table)/\(owner)/\(key)/\(bytes)"
        }

        static func < (one: Row, other: Row) -> Bool { one.description < other.description }
    }

    mutating func send(_ count: Int, seed: UInt64) throws {
        var history = ServiceHistory(seed: seed)
        let board = PresenceBoard()
        let store = ComparingStore()
        let harness = ServiceHarness(try World(on: store, settings: history.settings))
        try harness.world.create(ServiceHistory.users)
        try harness.register()
        for step in ServiceHistory.beginning { _ = try step.send(to: harness, WriteOptions()) }
        for number in 0..<count {
            let timedStep = history.next()
            harness.world.advance(milliseconds: timedStep.pauseMs)
            for _ in 0..<timedStep.maintenance { _ = try harness.world.maintenance() }
            let stepName = "RELATION_SEED=\(seed), step \(number)"
            try compare(timedStep.step, timedStep.options, on: harness, store, stepName)
            // Calls that seldom change a row, because it must be there, come more often here.
            let more: ServiceStep? =
                switch history.number(8) {
                case 0, 1: history.administration(board)
                case 2: history.groups()
                case 3: history.dismissals()
                case 4: history.invitation()
                default: nil
                }
            if let more { try compare(more, timedStep.options, on: harness, store, stepName) }
        }
    }

    private mutating func compare(
        _ step: ServiceStep, _ options: WriteOptions, on harness: ServiceHarness,
        _ store: ComparingStore, _ stepName: String
    ) throws {
        let name = String(step.description.prefix { $0 != " " })
        let stepName = "\(stepName): \(step) \(options)"
        var real = options
        // The answers to some writes hold what only one of them chose, and so do the kept ones.
        (real.requestID, real.dryRun) = ("", false)
        var dry = real
        (dry.dryRun, dry.listEffects) = (true, true)
        _ = store.take()
        let tried = try step.send(to: harness, dry)
        try #require(store.take() == [], "\(stepName)")
        let done = try step.send(to: harness, real)
        let made = store.take()
        guard case .response(let text, _, _) = tried else {
            guard case .callError = done else {
                Issue.record("\(stepName): \(tried), \(done)")
                return
            }
            refused += 1
            return
        }
        let effects = try #require(try Self.effects(in: text), "\(stepName)")
        guard effects["cut"] == nil else { return }
        let listed = (effects["rows"] as? [[String: Any]] ?? []).map(Self.row).sorted()
        let wanted = made.map(Self.row).sorted()
        let isChoosing = Self.choosing.contains(name)
        let (one, other) =
            isChoosing ? (listed.map(Self.table), wanted.map(Self.table)) : (listed, wanted)
        try #require(one.sorted() == other.sorted(), "\(stepName): \(tried), \(done)")
        #expect((effects["rowCount"] as? String ?? "0") == "\(made.count)", "\(stepName)")
        if options.allOrNothing, made.isEmpty { heldBack += 1 }
        if !listed.isEmpty { seen.insert(name) }
    }

    private static func effects(in json: String) throws -> [String: Any]? {
        let answer = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        return answer?["effects"] as? [String: Any]
    }

    private static func row(_ effect: [String: Any]) -> Row {
        Row(
            table: effect["table"] as? String ?? "",
            owner: effect["ownerUserId"] as? String ?? "", key: effect["key"] as? String ?? "",
            isDeleted: effect["deleted"] as? Bool ?? false,
            bytes: Int64(effect["bytes"] as? String ?? "") ?? 0)
    }

    private static func row(_ difference: ComparingStore.Difference) -> Row {
        let words = TableWords.row(of: difference.key)
        return Row(
            table: words.table, owner: words.owner, key: words.key,
            isDeleted: difference.isGone, bytes: Int64(difference.bytes))
    }

    /// The row without what is chosen at random.
    private static func table(_ row: Row) -> Row {
        Row(table: row.table, owner: row.owner, isDeleted: row.isDeleted)
    }
}
