/// The clients of a simulation: raw ones, and in some histories the Swift client.
///
/// The last callers of such a history share a client each with one of the last followers.
struct Clients {
    private(set) var callers: [SimulatedCaller] = []
    private(set) var followers: [SimulatedFollower] = []
    private var swift: [SwiftClient] = []
    private let book: Book?
    private let world: SimulatedWorld?
    private let closing = Closing()

    /// No clients.
    init() { (book, world) = (nil, nil) }

    init(_ plan: Plan, _ book: Book, _ network: any Network, in world: SimulatedWorld) throws {
        (self.book, self.world) = (book, world)
        let count = plan.hasSwiftClients ? WorldLimits.swiftClients : 0
        for index in 0..<WorldLimits.callers {
            guard index >= WorldLimits.callers - count else {
                callers.append(SimulatedCaller(index, book, network, in: world))
                continue
            }
            let followed = index - WorldLimits.callers + WorldLimits.followers
            let client = try SwiftClient(index, following: followed, book, network, in: world)
            swift.append(client)
            callers.append(SwiftCaller(index, client, book, network, in: world))
        }
        for user in 0..<WorldLimits.followers {
            let index = WorldLimits.callers + user
            if let client = swift.first(where: { $0.followed == user }) {
                followers.append(SwiftFollower(index, client, book, network, in: world))
            } else {
                followers.append(
                    SimulatedFollower(index, following: user, book, network, in: world))
            }
        }
    }

    /// The followers that are raw callers of the server.
    var rawFollowers: [SimulatedFollower] { followers.filter { !($0 is SwiftFollower) } }

    private var swiftFollowers: [SwiftFollower] { followers.compactMap { $0 as? SwiftFollower } }

    /// How many streams the server holds when the clients have ended.
    var rawStreams: Int { rawFollowers.count }

    func connection(of line: Int) -> SimulatedConnection? {
        line < callers.count
            ? callers[line].connection : followers[line - callers.count].connection
    }

    /// Ends the calls of a client as a proxy does.
    func endCalls(of line: Int) {
        if line < callers.count {
            callers[line].endCalls()
        } else {
            followers[line - callers.count].endCalls()
        }
    }

    /// Compares what streams reported with the logs.
    ///
    /// A stream of the Swift client may wait before its next try.
    func compareStreams() {
        guard let book, let world else { return }
        compare(rawFollowers, book)
        let end = world.now + UInt64(WorldLimits.clientStreamMilliseconds) * 1_000_000
        let followers = swiftFollowers
        world.scheduler.run(until: end) { followers.allSatisfy(\.hasToldAll) }
        compare(followers, book)
    }

    private func compare(_ followers: [SimulatedFollower], _ book: Book) {
        for follower in followers {
            book.compare(
                follower.told, to: follower.sequence, friends: follower.friends,
                of: follower.user)
        }
    }

    // MARK: The end

    private final class Closing {
        var closed = 0
    }

    /// Ends the Swift clients, and waits until all their tasks have ended.
    func end() {
        guard let world, !swift.isEmpty else { return }
        for follower in swiftFollowers { follower.end() }
        for client in swift { client.close { [closing] in closing.closed += 1 } }
        let end = world.now + UInt64(WorldLimits.closingMilliseconds) * 1_000_000
        world.scheduler.run(until: end) {
            closing.closed == swift.count && swiftFollowers.allSatisfy(\.hasEnded)
        }
    }

    /// Looks for tasks that did not end.
    func checkEnd() {
        guard closing.closed == swift.count, swiftFollowers.allSatisfy(\.hasEnded) else {
            world?.find(.leftover, "tasks of a client that was closed")
            return
        }
    }

    /// Frees what the Swift clients had.
    func bury() { for client in swift { client.bury() } }
}
