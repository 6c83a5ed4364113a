import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageRocks
import StorageSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// One random history on the model and on the embedded engine, with all checks on its way.
final class ServiceSimulation {
    private let seed: UInt64
    private let harness: ServiceHarness
    private let engine: ServiceHarness
    private let rocks: RocksStore
    private let folder = TemporaryFolder()
    private let allUsers = ServiceHistory.users + [RelationHistory.ghost]
    private var history: ServiceHistory
    /// Chooses the checks, so that one more check does not change the history.
    private var looks: SeededNumbers
    private var mirror = Mirror()
    /// Reads the changes of many steps at once, so that events are trimmed before it comes.
    private var lateMirror = Mirror()
    private var lists: [UserID: SyncedList] = [:]
    private var export: ExportRun?
    /// The highest limits so far, under which users may have got rows that they still keep.
    private var highest: AppLimits
    private var stepName = ""

    init(seed: UInt64) throws {
        self.seed = seed
        history = ServiceHistory(seed: seed)
        looks = SeededNumbers(seed: ~seed)
        let settings = history.settings
        highest = settings.limits
        // A longer lifetime makes applications wait again after others have taken their room.
        if history.hasLifetimes { highest.pendencies = .max }
        rocks = try RocksStore(folder: folder.path + "/data", .small)
        harness = ServiceHarness(try World(settings: settings))
        engine = ServiceHarness(try World(on: rocks, settings: settings))
        for harness in [harness, engine] {
            try harness.world.create(ServiceHistory.users)
            try harness.register()
            for step in ServiceHistory.beginning {
                let answer = try step.send(to: harness, WriteOptions())
                guard case .response(_, applied: true, _) = answer else {
                    throw StorageError(.failed, "\(step): \(answer)")
                }
            }
        }
    }

    /// - Returns: How often a reader of changes that seldom reads had to begin anew, because events
    ///   were trimmed.
    func run(steps: Int) throws -> Int {
        for number in 0..<steps {
            try advance(number)
            try lookAtExport()
            if number % 10 == 9 {
                try audit()
                try followLists()
            }
            if number % 40 == 39 {
                try #require(
                    try rows(of: engine.world) == rows(of: harness.world), "\(stepName)")
                let findings = try lateMirror.follow(harness.world, allUsers, by: listed)
                try #require(findings == [], "\(stepName)")
            }
        }
        export = nil
        rocks.close()
        return lateMirror.resyncs
    }

    /// All rows, without the random numbers of the apps' histories.
    private func rows(of world: World) throws -> [[Row]] {
        let coder = Coder(AppRecord.self)
        var all = try world.everything()
        // The registry's rows come last.
        all[1] = try all[1].map { row in
            // The number of the app follows the kind, and a partition of the range comes before.
            guard row.suffix.dropLast(4).last == Tables.apps.kind else { return row }
            let bytes = try Arena.temporary { (arena) throws(CodecError) in
                var app = try coder.message(row.value, arena)
                app.historyID = 0
                return try coder.bytes(app, arena)
            }
            return Row(suffix: row.suffix, value: bytes)
        }
        return all
    }

    // MARK: One call

    private func advance(_ number: Int) throws {
        let timedStep = history.next()
        stepName = "RELATION_SEED=\(seed), step \(number): \(timedStep.step) \(timedStep.options)"
        for world in [harness.world, engine.world] {
            world.advance(milliseconds: timedStep.pauseMs)
        }
        for _ in 0..<timedStep.maintenance {
            try #require(
                try harness.world.maintenance() == engine.world.maintenance(), "\(stepName)")
        }
        let userRecords = try userRecords()
        let before = try harness.world.everything()
        let rows = try harness.world.snapshot(of: allUsers)
        let promised = try promise(of: timedStep)
        let answer = try timedStep.step.send(to: harness, timedStep.options)
        try #require(
            try timedStep.step.send(to: engine, timedStep.options) == answer, "\(stepName)")
        switch answer {
        case .callError:
            try #require(try harness.world.everything() == before, "\(stepName): \(answer)")
        case .response(_, applied: false, _):
            // A repeated answer was applied when it was first given, and a new answer is kept.
            guard timedStep.options.requestID.isEmpty else { break }
            if try made(since: userRecords).isEmpty {
                try #require(try harness.world.everything() == before, "\(stepName)")
            } else {
                try checkOthers(since: userRecords, rows)
            }
        case .response: break
        }
        if case .response(_, let applied, let changed?) = answer {
            try #require(applied == changed, "\(stepName): \(answer)")
        }
        if case .response(_, let applied, let changed) = promised {
            try #require(!applied && changed != true, "\(stepName): dry run \(promised)")
        }
        if timedStep.options.requestID.isEmpty {
            try #require(answer.saysTheSame(as: promised), "\(stepName): dry run \(promised)")
        }
        try checkLimits(since: userRecords)
        let findings = try mirror.follow(harness.world, allUsers, by: listed)
        try #require(findings == [], "\(stepName)")
    }

    /// The users that became accounts, because the call named them: this is not a change of an
    /// item.
    private func made(since userRecords: [UserID: UserRecord]) throws -> [UserID] {
        try allUsers.filter {
            try userRecords[$0] == nil && harness.world.userRecord(of: $0) != nil
        }
    }

    /// Checks that a call changed no row of a user but of those that it made accounts.
    private func checkOthers(since userRecords: [UserID: UserRecord], _ rows: [[Row]]) throws {
        let made = try Set(made(since: userRecords))
        try #require(harness.world.settings.makesAccountsImplicitly, "\(stepName)")
        let now = try harness.world.snapshot(of: allUsers)
        for (index, user) in allUsers.enumerated() where !made.contains(user) {
            try #require(now[index] == rows[index], "\(stepName): \(user)")
        }
    }

    /// The events of a user as ListChanges returns them to an administrator, page by page.
    private func listed(
        _ user: UserID, after sequence: Int64
    ) throws(StorageError) -> [(sequence: Int64, ChangeRecord)]? {
        do {
            let size = 1 + number(4)
            return try ListedChanges(of: user, after: sequence, harness, pageSize: size).events
        } catch {
            throw StorageError(.failed, "\(stepName): \(error)")
        }
    }

    /// The answer of a dry run of the step on a copy of all rows.
    private func promise(of timedStep: ServiceHistory.TimedStep) throws -> ServiceStep.Answer {
        var options = timedStep.options
        options.dryRun = true
        options.requestID = ""
        return try timedStep.step.send(to: try harness.copy(), options)
    }

    // MARK: Limits

    private func userRecords() throws -> [UserID: UserRecord] {
        var userRecords: [UserID: UserRecord] = [:]
        for user in allUsers { userRecords[user] = try harness.world.userRecord(of: user) }
        return userRecords
    }

    /// Checks that no user has got more rows than the limit, and that no user lost rows because it
    /// fell.
    private func checkLimits(since before: [UserID: UserRecord]) throws {
        let limits = harness.world.settings.limits
        highest.friends = max(highest.friends, limits.friends)
        highest.groups = max(highest.groups, limits.groups)
        highest.blacklistedUsers = max(highest.blacklistedUsers, limits.blacklistedUsers)
        highest.pendencies = max(highest.pendencies, limits.pendencies)
        highest.subscriptions = max(highest.subscriptions, limits.subscriptions)
        highest.subscribers = max(highest.subscribers, limits.subscribers)
        highest.followings = max(highest.followings, limits.followings)
        highest.dismissedSuggestions = max(
            highest.dismissedSuggestions, limits.dismissedSuggestions)
        for (user, userRecord) in try userRecords() {
            let old = before[user] ?? UserRecord()
            let counts = [
                (userRecord.friendCount, old.friendCount, limits.friends),
                (userRecord.groupCount, old.groupCount, limits.groups),
                (userRecord.blacklistCount, old.blacklistCount, limits.blacklistedUsers),
                (userRecord.followingCount, old.followingCount, limits.followings),
                (userRecord.dismissalCount, old.dismissalCount, limits.dismissedSuggestions),
                (
                    userRecord.onlineSubscriptionCount, old.onlineSubscriptionCount,
                    limits.subscriptions
                ),
                (
                    userRecord.profileSubscriptionCount, old.profileSubscriptionCount,
                    limits.subscriptions
                ),
            ]
            for (count, before, limit) in counts {
                try #require(count <= max(before, UInt32(limit)), "\(stepName): \(user)")
            }
            guard !history.hasLifetimes else { continue }
            for (count, before) in [
                (userRecord.comeInCount, old.comeInCount),
                (userRecord.sendOutCount, old.sendOutCount),
            ] {
                try #require(
                    count <= max(before, UInt32(limits.pendencies)), "\(stepName): \(user)")
            }
        }
    }

    // MARK: Everything

    private func audit() throws {
        let sharp = !history.keepsFriendships
        let audit = try Audit(harness.world, allUsers, sharp: sharp, limits: highest)
        try #require(audit.findings == [], "\(stepName)")
        let errors = try harness.world.integrity()
        try #require(errors == [], "\(stepName)")
        // Rows are left of accounts that are being deleted. Where every user exists, a check by
        // rows shows them.
        let world = engine.world
        guard try !world.settings.makesAccountsImplicitly || world.nextJob() == nil else { return }
        try #require(try world.circleFindings(of: allUsers) == [], "\(stepName)")
    }

    /// Continues an export while users write, and checks that it shows the moment at which it
    /// began.
    private func lookAtExport() throws {
        guard let running = export else {
            let side = number(2) == 0 ? harness : engine
            if number(8) == 0 { export = try ExportRun(of: side) }
            return
        }
        guard try running.next(1 + number(40), breaks: number(4) == 0) else { return }
        try #require(running.difference == nil, "\(stepName)")
        var mirror = running.mirror
        let findings = try mirror.follow(harness.world, allUsers)
        try #require(findings == [], "\(stepName)")
        export = nil
    }

    /// Brings the copies of some users up to date, and compares each with the list.
    private func followLists() throws {
        for (number, user) in allUsers.enumerated()
        where try harness.world.userRecord(of: user) != nil {
            var list = lists[user] ?? SyncedList()
            try list.catchUp(user, harness, pageSize: Int32(1 + number))
            lists[user] = list
            let rows = try harness.world.rows(of: Tables.friends, of: user)
            try #require(
                Set(list.friends.keys) == Set(rows.map(\.key.text)), "\(stepName): \(user)")
            for row in rows {
                let copy = try #require(list.friends[row.key.text])
                try #require(copy.sequence == row.record.sequence, "\(stepName): \(user)")
                try #require(copy.remark == row.record.remark, "\(stepName): \(user)")
                try #require(copy.groups == row.record.groups, "\(stepName): \(user)")
                try #require(
                    copy.custom.asStored == row.record.custom, "\(stepName): \(user)")
            }
        }
    }

    private func number(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &looks)
    }
}

extension ServiceStep.Answer {
    /// Whether both are the same error, or responses that differ at most in `applied` and in what
    /// changed.
    fileprivate func saysTheSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.response(let one, _, _), .response(let two, _, _)): one == two
        case (.callError(let one), .callError(let two)): one == two
        default: false
        }
    }
}
