import PostgresSupport
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageRocks
import StorageSuite
import Testing

/// Random histories of all calls, at whose end each earlier moment is read again.
///
/// After each step the present rows are noted. Later a view of that moment must show the same ones.
@Suite struct PastSimulationTests {
    private static let users = RelationHistory.users

    /// All that reads at a past moment show of one user.
    private struct Picture: Equatable {
        var friends: [FriendRecord] = []
        var count: UInt32 = 0
        var unreturned: Set<UserID> = []
        /// By the names of the groups that friends are in.
        var members: [String: [UserID]] = [:]
        var groupCounts: [String: UInt32] = [:]
        var profile = ProfileRecord()
        /// By the place of the other user.
        var relations: [String] = []
    }

    @Test(arguments: RelationSimulationTests.seeds)
    func everyMomentIsAsItWasInMemory(_ seed: UInt64) throws {
        try run(seed, steps: 300, on: MemoryStore())
    }

    @Test(arguments: RelationSimulationTests.seeds)
    func everyMomentIsAsItWasOnDisk(_ seed: UInt64) throws {
        let engine = FolderEngine("rocks") { (path) throws(StorageError) in
            try RocksStore(folder: path, .small)
        }
        try withExtendedLifetime(engine) { try run(seed, steps: 200, on: try engine.open()) }
    }

    @Test(.enabled(if: PostgresEngine.isThere), arguments: [RelationSimulationTests.seeds[0]])
    func everyMomentIsAsItWasInADatabase(_ seed: UInt64) throws {
        let engine = try PostgresEngine()
        try withExtendedLifetime(engine) { try run(seed, steps: 60, on: try engine.open()) }
    }

    private func run(_ seed: UInt64, steps: Int, on store: any Store) throws {
        var settings = RelationHistory.settings(
            defaultAllowType: seed % 2 == 0 ? .allowAny : .needConfirm,
            keepsFriendships: seed % 3 == 0)
        settings.historyDays = 30
        settings.findsUsers = true
        let world = try World(on: store, settings: settings)
        try world.create(Self.users)
        try world.commit { (transaction) throws(StorageError) in
            try HistoryLog.begin(world.app, at: world.now, in: transaction)
        }
        var history = RelationHistory(seed: seed)
        var pictures: [Int64: [Picture]] = [:]
        for number in 0..<steps {
            let step = history.next()
            _ = try world.apply(step)
            let app = world.app
            let now = world.now
            pictures[now.milliseconds] = try world.read { (transaction) throws(StorageError) in
                try Self.users.map { (user) throws(StorageError) in
                    try Self.picture(of: user, app, at: now, in: transaction, nil)
                }
            }
            guard number % 20 == 19 || number == steps - 1 else { continue }
            for (milliseconds, wanted) in pictures {
                let moment = Timestamp(milliseconds: milliseconds)
                let found = try Self.pictures(of: moment, world)
                for (user, (one, other)) in zip(Self.users, zip(found, wanted)) {
                    try #require(
                        one == other,
                        "RELATION_SEED=\(seed), step \(number), \(user) at \(milliseconds)")
                }
            }
        }
    }

    private static func pictures(of moment: Timestamp, _ world: World) throws -> [Picture] {
        try users.map { user in
            try world.read { (transaction) throws(StorageError) in
                let begun = try PastTransaction.begin(
                    at: moment, world.now, app: world.app, over: transaction)
                guard case .success(let past) = begun else { return Picture() }
                return try picture(of: user, world.app, at: moment, in: past, past)
            }
        }
    }

    /// - Parameter past: The view that takes rows back, if it is not the present.
    private static func picture(
        of user: UserID, _ app: App, at now: Timestamp, in transaction: any ReadTransaction,
        _ past: PastTransaction?
    ) throws(StorageError) -> Picture {
        var picture = Picture()
        try past?.revertList(of: user)
        picture.count =
            try Accounts.record(of: user, app: app, in: transaction)?.friendCount ?? 0
        try FriendList.scanByID(
            of: user, after: nil, .ascending, limit: 1_000, app: app, in: transaction
        ) { _, row in
            picture.friends.append(
                FriendList.record(row, in: transaction.arena) ?? FriendRecord())
            return .more
        }
        var selection = FriendSelection(at: now)
        selection.relation = .myUni
        picture.unreturned = try selection.users(of: user, app: app, in: transaction)
        for name in Set(picture.friends.flatMap(\.groups)) {
            guard let group = try Groups.record(name, of: user, app: app, in: transaction) else {
                continue
            }
            picture.groupCounts[name] = group.memberCount
            picture.members[name] = try Groups.members(
                of: group.number, of: user, app: app, in: transaction)
        }
        past?.showPresent()
        try past?.revertPairs(of: user)
        picture.relations = try FriendRelations.read(
            users, of: user, at: now, app: app, in: transaction
        ).map { "\($0.map { "\($0)" } ?? "none")" }
        past?.showPresent()
        var profile = try Profiles.record(of: user, app: app, in: transaction)
        // No history has these.
        (profile.version, profile.openVersion, profile.cardVersion) = (0, 0, 0)
        (profile.position, profile.visibility) = (0, .notSet)
        (profile.fieldChoices, profile.reviews) = ([], [])
        picture.profile = profile
        return picture
    }
}
