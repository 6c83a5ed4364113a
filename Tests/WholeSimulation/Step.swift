/// One thing that happens to the simulated service from outside, at its time.
package struct Step: Sendable, CustomStringConvertible {
    /// Milliseconds after the beginning.
    package let milliseconds: Int
    package let action: Action

    package init(at milliseconds: Int, _ action: Action) {
        (self.milliseconds, self.action) = (milliseconds, action)
    }

    package enum Action: Sendable {
        case call(caller: Int, Operation)
        case error(Failure)
    }

    package var description: String {
        switch action {
        case .call(let caller, let operation): "caller \(caller) \(operation)"
        case .error(let error): "\(error)"
        }
    }
}

/// A call, in the words of a story.
package enum Operation: Sendable, CustomStringConvertible {
    case befriend(Int, Int)
    case part(Int, Int)
    case rename(Int)
    case check(Int, Int)
    case name(by: Int, of: Int)
    case list(Int)
    /// Reports the device of a user.
    case report(Int, isOnline: Bool)
    case presence(Int)
    /// Ends the present key of one who has one.
    case revoke(Int)
    /// Only after the last error.
    case log(Int)

    /// The user about whom a read is that standbys may answer.
    var subject: Int? {
        switch self {
        case .check(let user, _), .name(_, let user), .list(let user): user
        case .befriend, .part, .rename, .report, .presence, .revoke, .log: nil
        }
    }

    /// The other side of the friendship that a write changes.
    var other: Int? {
        switch self {
        case .befriend(_, let other), .part(_, let other): other
        case .rename, .check, .name, .list, .report, .presence, .revoke, .log: nil
        }
    }

    /// The user whom a write changes.
    var user: Int? {
        switch self {
        case .befriend(let user, _), .part(let user, _), .rename(let user): user
        case .check, .name, .list, .report, .presence, .revoke, .log: nil
        }
    }

    package var description: String {
        switch self {
        case .befriend(let one, let other): "makes \(one) and \(other) friends"
        case .part(let one, let other): "ends the friendship of \(one) and \(other)"
        case .rename(let user): "gives \(user) a new nick"
        case .check(let one, let other): "asks whether \(one) and \(other) are friends"
        case .name(let viewer, let user): "asks, as \(viewer), for the nick of \(user)"
        case .list(let user): "lists the friends of \(user)"
        case .report(let user, let isOnline): "reports \(user) \(isOnline ? "online" : "offline")"
        case .presence(let user): "asks whether \(user) is online"
        case .revoke(let holder): "revokes the key of client \(holder)"
        case .log(let user): "lists the changes of \(user)"
        }
    }
}

/// Something that goes wrong.
package enum Failure: Sendable, CustomStringConvertible {
    /// The way from a client to the server stands still, or the way back.
    case freeze(line: Int, isUp: Bool, milliseconds: Int)
    /// The connection of a client is lost, with all bytes under way.
    case cut(line: Int)
    /// One way between all clients and the server stands still.
    case cutOff(isUp: Bool, milliseconds: Int)
    /// A proxy ends the calls of a client, each at both ends, and keeps the connection.
    case endCalls(line: Int)
    /// The process gets no processor for a while, as one that was stopped.
    case sleep(milliseconds: Int)
    /// The wall clock of the process is off by so much from now on.
    case wall(milliseconds: Int)
    /// The process dies, and begins again on its disk.
    case kill(downMilliseconds: Int)
    /// The same, while the next commit waits for its disk.
    case killInCommit(downMilliseconds: Int)
    /// A thread of the server gets no processor; number 6 is its loop.
    case stall(thread: Int, milliseconds: Int)
    /// The next commit is refused before anything is written.
    case refuse
    /// The store fails in the midst of the next commit, and the process ends.
    case breakStore(isWritten: Bool)
    /// The next reads find a disk that does not answer.
    case failReads(Int)
    /// An error of one of several servers, or of their database.
    case shared(SharedFailure)
    /// Commits wait longer for the disk.
    case slowDisk(times: Int, milliseconds: Int)

    /// The error without its numbers.
    var kind: String {
        switch self {
        case .freeze(_, let isUp, _): isUp ? "freeze of the way in" : "freeze of the way out"
        case .cut: "lost connection"
        case .cutOff(let isUp, _): isUp ? "way in cut off" : "way out cut off"
        case .endCalls: "calls ended by a proxy"
        case .sleep: "sleep of the process"
        case .wall: "jump of the wall clock"
        case .kill: "death of the process"
        case .killInCommit: "death in a commit"
        case .stall: "stalled thread"
        case .refuse: "refused commit"
        case .breakStore: "broken store"
        case .failReads: "failing reads"
        case .slowDisk: "slow disk"
        case .shared(let failure): failure.kind
        }
    }

    package var description: String {
        switch self {
        case .freeze(let line, let isUp, let milliseconds):
            "client \(line) is \(isUp ? "not heard" : "told nothing") for \(milliseconds) ms"
        case .cut(let line): "client \(line) loses its connection"
        case .cutOff(let isUp, let milliseconds):
            "the server \(isUp ? "hears" : "reaches") no client for \(milliseconds) ms"
        case .endCalls(let line): "a proxy ends the calls of client \(line)"
        case .sleep(let milliseconds): "the process sleeps for \(milliseconds) ms"
        case .wall(let milliseconds): "the wall clock is \(milliseconds) ms ahead from now on"
        case .kill(let milliseconds): "the process dies, and begins again after \(milliseconds) ms"
        case .killInCommit(let milliseconds):
            "the process dies in its next commit, and begins again after \(milliseconds) ms"
        case .stall(let thread, let milliseconds):
            "thread \(thread) gets no processor for \(milliseconds) ms"
        case .refuse: "the store refuses the next commit"
        case .breakStore(let isWritten):
            "the store fails in the next commit, which is \(isWritten ? "" : "not ")on the disk"
        case .failReads(let count): "the next \(count) reads fail"
        case .shared(let failure): failure.description
        case .slowDisk(let times, let milliseconds):
            "the disk takes \(times) times as long for \(milliseconds) ms"
        }
    }
}

/// The history of a seed.
package struct Plan: Sendable {
    package let seed: UInt64
    package var steps: [Step]
    /// How many servers share a database; 0 for one server that has its own disk.
    package let servers: Int
    /// Whether the app has a hook: every second pair of seeds.
    package var hasHook: Bool { seed % 4 >= 2 }
    /// Whether some callers and followers use the Swift client: half of the seeds, with hooks and
    /// without.
    package var hasSwiftClients: Bool

    /// - Parameters:
    ///   - steps: How many steps it has.
    ///   - servers: How many servers share a database; 0 for one that has its own disk.
    package init(seed: UInt64, steps count: Int, servers: Int = 0) {
        (self.seed, self.servers) = (seed, servers)
        hasSwiftClients = Self.hasSwiftClients(seed)
        var chance = Chance(seed, "plan")
        var milliseconds = 50
        // Some histories have many errors, some have few. Some have hardly a pause, and some have
        // pauses in which heartbeats, looks at idle connections and upkeep have their time.
        let errorsOneIn = chance.pick([4, 8, 16, 40])
        let pause = chance.pick([3, 15, 60, 1_000])
        steps = []
        var (last, user, hasFailed) = (0, 0, false)
        for _ in 0..<count {
            // Errors seldom come alone: each third of them brings another one.
            let isNext = hasFailed && chance.one(in: 3)
            hasFailed = chance.one(in: errorsOneIn) || isNext
            // Half of the errors come at once after a call, to its caller or to a follower.
            let isNear = hasFailed && chance.one(in: 2)
            milliseconds += chance.number(0...(isNear || isNext ? 2 : pause))
            if hasFailed {
                let lines = WorldLimits.callers + WorldLimits.followers
                let near = chance.one(in: 2) ? last : WorldLimits.callers + user
                let line = isNear ? near : chance.number(0...(lines - 1))
                steps.append(Step(at: milliseconds, .error(Self.error(&chance, of: line, servers))))
            } else {
                last = chance.number(0...(WorldLimits.callers - 1))
                let operation = Self.operation(&chance)
                user = (operation.user ?? 0) % WorldLimits.followers
                steps.append(Step(at: milliseconds, .call(caller: last, operation)))
            }
        }
    }

    /// A history that was found: the seed says only how long all waits for its turn.
    package init(seed: UInt64, _ steps: [Step], servers: Int = 0) {
        (self.seed, self.steps, self.servers) = (seed, steps, servers)
        hasSwiftClients = Self.hasSwiftClients(seed)
    }

    private static func hasSwiftClients(_ seed: UInt64) -> Bool { (1...2).contains(seed % 4) }

    private static func operation(_ chance: inout Chance) -> Operation {
        let one = chance.number(0...(WorldLimits.users - 1))
        // A few pairs, so that calls meet.
        let other = (one + chance.number(1...3)) % WorldLimits.users
        switch chance.number(0...12) {
        case 0...2: return .befriend(one, other)
        case 3...4: return .part(one, other)
        case 5: return .rename(one)
        case 6...7: return .check(one, other)
        case 8: return .name(by: other, of: one)
        case 9: return .list(one)
        case 10: return .report(one, isOnline: chance.one(in: 2))
        case 11:
            return chance.one(in: 3)
                ? .revoke(chance.number(0...(WorldLimits.holders - 1))) : .presence(one)
        default: return chance.one(in: 2) ? .presence(one) : .report(one, isOnline: true)
        }
    }

    /// - Parameters:
    ///   - line: The client that it is about, if it is about one.
    ///   - servers: How many servers share a database; 0 if none do.
    private static func error(
        _ chance: inout Chance, of line: Int, _ servers: Int
    ) -> Failure {
        guard servers == 0 else { return error(&chance, of: line, sharedBy: servers) }
        return error(&chance, of: line)
    }

    private static func error(
        _ chance: inout Chance, of line: Int, sharedBy servers: Int
    ) -> Failure {
        switch chance.number(0...9) {
        case 0...1:
            return .freeze(
                line: line, isUp: chance.one(in: 2), milliseconds: chance.number(5...4_000))
        case 2: return .cut(line: line)
        case 3: return .endCalls(line: line)
        case 4:
            guard chance.one(in: 4) else { return .cut(line: line) }
            return .cutOff(isUp: chance.one(in: 2), milliseconds: chance.number(5...3_000))
        default: return .shared(SharedFailure.draw(&chance, servers: servers))
        }
    }

    private static func error(_ chance: inout Chance, of line: Int) -> Failure {
        switch chance.number(0...21) {
        case 16: return .cutOff(isUp: chance.one(in: 2), milliseconds: chance.number(5...3_000))
        case 17...18: return .endCalls(line: line)
        case 19...20: return .sleep(milliseconds: chance.number(5...4_000))
        case 21: return .wall(milliseconds: chance.number(WorldLimits.wallMilliseconds))
        case 0...4:
            return .freeze(
                line: line, isUp: chance.one(in: 2), milliseconds: chance.number(5...4_000))
        case 5...7: return .cut(line: line)
        case 8: return .kill(downMilliseconds: chance.number(1...600))
        case 9: return .killInCommit(downMilliseconds: chance.number(1...600))
        case 10...11:
            return .stall(thread: chance.number(0...6), milliseconds: chance.number(5...1_500))
        case 12: return .refuse
        case 13: return .breakStore(isWritten: chance.one(in: 2))
        case 14: return .failReads(chance.number(1...6))
        default:
            return .slowDisk(times: chance.number(2...30), milliseconds: chance.number(20...900))
        }
    }
}
