import Glibc
import Memory
import Protobuf
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime
import RelationService
import Storage
import StorageRocks

/// A data folder with the sample graph, and with more accounts in pairs that are not friends yet.
///
/// The folder is removed with its owner.
///
/// The rows are written by the rules of an import, without a server, and are then sorted into
/// files. So a server that was just started reads from files and the cache, like one that has run
/// for long. Its engine has only rows to sort that are written during the measurement.
final class BenchData {
    static let app = App(id: Authenticator.defaultApp, settings: .tim)
    /// Another app of the same server.
    ///
    /// It has only accounts, in pairs with the same names.
    static let lightApp = App(id: Authenticator.defaultApp + 1, settings: .tim)
    /// The time of all rows: so recent that a server has nothing old to remove during the
    /// measurement.
    private static let now = ServiceClock.system.now()

    let graph: SampleGraph
    /// The path of the data folder itself, for servers that only read.
    let path: String
    /// Lists of friends, each with the answer that holds it.
    private(set) var lists: [Flood.Request] = []

    private let folder: String
    private let pairs: Int
    private let lightPairs: Int
    private let circle: (friends: Int, subscribers: Int)
    private var copies = 0

    /// - Parameters:
    /// - pairs: How many pairs of accounts to make.
    /// - lightPairs: How many of them to make in the other app.
    /// - circle: How many friends one more account has, and how many other accounts could follow
    ///   it.
    /// - parent: The folder in which the data folder is made.
    init(
        _ graph: SampleGraph, pairs: Int, lightPairs: Int = 0,
        circle: (friends: Int, subscribers: Int) = (0, 0), in parent: String
    ) throws {
        self.graph = graph
        self.pairs = pairs
        self.lightPairs = lightPairs
        self.circle = circle
        folder = try Tool.makeFolder(in: parent)
        path = folder + "/data"
        var options = RocksOptions()
        options.sync = false
        let store = try RocksStore(folder: path, options)
        defer { store.close() }
        try fill(store)
        try Self.sweep(store)
        try store.compact()
        lists = try makeLists(store)
    }

    deinit {
        Tool.removeFolder(folder)
    }

    /// A copy of the data folder in its first state, for a server that writes.
    ///
    /// So each such server begins with the same data, and has no log of an earlier one to read.
    func copy() throws(FloodError) -> String {
        copies += 1
        let copy = "\(folder)/copy-\(copies)"
        try Tool.run("/bin/cp", ["-r", path, copy])
        // Otherwise the device would still be busy with the copy when the first call must become
        // durable.
        try Tool.run("/bin/sync", ["-f", copy])
        return copy
    }

    /// Accounts that are not friends in the folder and its copies.
    func pairs(_ numbers: Range<Int>) -> [(String, String)] {
        precondition(numbers.upperBound <= pairs, "more pairs than were made")
        return numbers.map(Self.pair)
    }

    /// The account that has all of ``friends``, and no subscriber.
    static let star = "star"
    /// An account with some of these friends.
    static let lesserStar = "lesser-star"
    /// The account without a friend to which ``subscribers`` may subscribe.
    static let idol = "idol"
    /// An account without friends and subscribers.
    static let lone = "lone"
    /// The friends of ``star``.
    var friends: [String] { (0..<circle.friends).map { "friend-\($0)" } }
    /// Accounts without a friend.
    var subscribers: [String] { (0..<circle.subscribers).map { "subscriber-\($0)" } }

    private static func pair(_ number: Int) -> (String, String) {
        ("adder-\(number)", "added-\(number)")
    }

    // MARK: Filling

    private func fill(_ store: RocksStore) throws(StorageError) {
        try Self.write(graph.users.count, to: store) { (index, ledger) throws(StorageError) in
            _ = try Accounts.create(graph.users[index], nick: "", faceURL: "", in: ledger)
        }
        for (app, pairs) in [(Self.app, pairs), (Self.lightApp, lightPairs)] {
            try Self.write(pairs, of: app, to: store) { (number, ledger) throws(StorageError) in
                let (one, other) = Self.pair(number)
                for text in [one, other] {
                    let user = UserID(stored: text.utf8)
                    _ = try Accounts.create(user, nick: "", faceURL: "", in: ledger)
                }
            }
        }
        try Self.write(graph.friendships.count, to: store) { (index, ledger) throws(StorageError) in
            let (one, other) = graph.friendships[index]
            try Self.befriend(graph.users[one], graph.users[other], in: ledger)
        }
        let circle = [Self.star, Self.lesserStar, Self.idol, Self.lone] + friends + subscribers
        try Self.write(circle.count, to: store) { (index, ledger) throws(StorageError) in
            let user = UserID(stored: circle[index].utf8)
            _ = try Accounts.create(user, nick: "", faceURL: "", in: ledger)
        }
        let friends = friends
        try Self.write(friends.count, to: store) { (index, ledger) throws(StorageError) in
            let friend = UserID(stored: friends[index].utf8)
            try Self.befriend(UserID(stored: Self.star.utf8), friend, in: ledger)
            guard index < BenchLimits.countedStreams else { return }
            try Self.befriend(UserID(stored: Self.lesserStar.utf8), friend, in: ledger)
        }
    }

    /// Does the background work that a server would otherwise do during the measurement.
    private static func sweep(_ store: RocksStore) throws(StorageError) {
        for app in [app, lightApp] {
            var hasMore = true
            var lastImport: ImportKey?
            while hasMore {
                hasMore = try store.write(touching: []) { (transaction) throws(StorageError) in
                    try Sweeps.step(app, at: now, lastImport: &lastImport, in: transaction)
                }
            }
        }
    }

    private static func befriend(
        _ one: UserID, _ other: UserID, in ledger: Ledger
    ) throws(StorageError) {
        var row = FriendImport.Row(owner: one, friend: other)
        row.bothWays = true
        let outcome = try FriendImport.write(row, notify: false, in: ledger)
        precondition(outcome.code == .success, "a friendship was refused: \(outcome)")
    }

    /// Runs `body` for each number below `count`, many times in one transaction.
    private static func write(
        _ count: Int, of app: App = app, to store: RocksStore,
        _ body: (Int, Ledger) throws(StorageError) -> Void
    ) throws(StorageError) {
        let step = RuntimeLimits.importRowsPerCommit
        for first in stride(from: 0, to: count, by: step) {
            try store.write(touching: []) { (transaction) throws(StorageError) in
                let ledger = Ledger(
                    app: app, now: now, origin: Origin(user: nil), transaction: transaction)
                for number in first..<min(first + step, count) { try body(number, ledger) }
                try ledger.close()
            }
        }
    }

    // MARK: Lists

    /// The lists of users that have exactly as many friends as a page has rows.
    private func makeLists(_ store: RocksStore) throws -> [Flood.Request] {
        let owners = graph.users.indices.filter {
            graph.friends[$0].count == BenchLimits.listedFriends
        }
        return try owners.map { owner in
            let expected = graph.friends[owner].map { graph.users[$0] }.sorted()
            return try store.read { (transaction) throws(StorageError) in
                try Self.list(of: graph.users[owner], expected, in: transaction)
            }
        }
    }

    /// The call that lists the friends of `owner`, which must be `expected`.
    private static func list(
        of owner: UserID, _ expected: [UserID], in transaction: any ReadTransaction
    ) throws(StorageError) -> Flood.Request {
        var response = ListFriendsResponseView()
        var users: [UserID] = []
        let arena = transaction.arena
        try FriendList.scanByID(
            of: owner, after: nil, .ascending, limit: .max, app: app, in: transaction
        ) { user, bytes in
            users.append(user)
            // A transaction's arena holds far more than one list.
            response.friends.append(Encoded(borrowing: arena.copy(bytes)!))
            return .more
        }
        let userRecord = try Tables.userRecords.record(
            app.partition(of: owner), OnlyKey(), in: transaction)
        precondition(users == expected, "the friends of \(owner) are not those of the graph")
        response.totalSize = Int32(expected.count)
        response.sequence = userRecord?.friendsSequence ?? 0

        var request = ListFriendsRequest()
        request.userID = owner.text
        request.pageSize = Int32(expected.count)
        do throws(CodecError) {
            return Flood.Request(
                message: try Coder(ListFriendsRequest.self).bytes(request, arena),
                answer: try Coder(ListFriendsResponseView.self).bytes(response, arena))
        } catch {
            throw StorageError(.failed, "a list does not encode: \(error)")
        }
    }
}
