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
        (self.graph, self.pairs, self.lightPairs, self.circle) = (graph, pairs, lightPairs, circle)
        folder = try Tool.makeFolder(in: parent)
        path = folder + "/data"
        var options = RocksOptions()
        options.sync = false
        let store = try RocksStore(folder: path, options)
        defer { store.close() }
        try fill(store)
        try Self.sweep(store)
        try store.compact()
    }

    deinit { Tool.removeFolder(folder) }

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
        let step = RuntimeLimits.importRowsPerCommit
        let light = BenchRows(store, Self.lightApp, now: Self.now, together: step)
        let rows = BenchRows(store, Self.app, now: Self.now, together: step)
        func accounts(_ pairs: Int) -> [String] {
            (0..<pairs).map(Self.pair).flatMap { [$0.0, $0.1] }
        }
        try rows.create(graph.users.map(\.text))
        try rows.create(accounts(pairs))
        try light.create(accounts(lightPairs))
        try rows.befriend(graph.friendships.map { (graph.users[$0].text, graph.users[$1].text) })
        try rows.create([Self.star, Self.lesserStar, Self.idol, Self.lone] + friends + subscribers)
        try rows.befriend(friends.map { (Self.star, $0) })
        try rows.befriend(friends.prefix(BenchLimits.countedStreams).map { (Self.lesserStar, $0) })
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
}
