import Storage
import StoragePostgres
import Support
import Synchronization

/// How a process uses a modelled database.
package struct ModelOptions: Sendable {
    package var readers = 8
    package var writers = 8
    package var snapshots = 64
    package var patienceMilliseconds = 10_000
    package var connectMilliseconds = 5_000
    package var standbyWaitMilliseconds = 1_000
    /// How old the view of a standby may be that answers an ordinary read; 0 if none does.
    package var standbyStalenessMilliseconds = 0
    /// Whether standbys answer reads.
    package var hasStandbys = false
    /// Whether the server that was the primary first is among them, for it may become one.
    package var readsFirst = false

    package init() {}
}

/// The part of a process that all its connections to a modelled database share.
final class ModelClient: Sendable {
    private struct State {
        var seen: ModelSeen
        var chance: Chance
    }

    /// How much longer an answer is waited for than the database works for it.
    static let lateMilliseconds: UInt64 = 500
    /// How long an answer may take before a writer checks who holds the lock.
    static let slowMilliseconds: UInt64 = 500
    /// How long a transaction waits at one time for all others to end.
    static let aloneMilliseconds: UInt64 = 250

    let model: PostgresModel
    let time: any ModelTime
    let options: ModelOptions
    let lease: Lease
    let primary: Primary
    /// The name of the process.
    let process: String
    private let state: Mutex<State>

    /// - Parameter chance: Names the process, and draws its pauses.
    init(
        _ model: PostgresModel, _ time: any ModelTime, _ options: ModelOptions, _ lease: Lease,
        _ chance: Chance, primary: Primary = Primary(), process: String? = nil
    ) {
        var chance = chance
        let random = (0..<8).map { _ in UInt8(chance.number(0...255)) }
        let process = process ?? String(hexadecimal: random)
        (self.model, self.time, self.options, self.lease) = (model, time, options, lease)
        (self.primary, self.process) = (primary, process)
        state = Mutex(State(seen: ModelSeen(process: process), chance: chance))
    }

    /// One that reads from standbys, of which nothing is known that the primary says.
    func ofStandbys() -> ModelClient {
        ModelClient(
            model, time, options, Lease { [time] in time.now },
            Chance(UInt64(random(0...Int.max)), "standbys"), primary: Primary(takingAny: true),
            process: process)
    }

    func random(_ range: ClosedRange<Int>) -> Int {
        state.withLock { $0.chance.number(range) }
    }

    // MARK: What it has seen

    var seen: ModelSeen { state.withLock { $0.seen } }

    func note(_ change: (inout ModelSeen) -> Void) { state.withLock { change(&$0.seen) } }

    func checkSeen() throws(StorageError) {
        if seen.isLost { throw Self.lostData }
    }

    /// Notes that the database has lost commits.
    func lost() -> StorageError {
        note { $0.isLost = true }
        return Self.lostData
    }

    private static let lostData = StorageError(.lostData, "the database has lost commits")

    // MARK: Waits

    /// Waits until `isOver`, while others and the database go on.
    ///
    /// - Returns: False if the time is over, or the process has died.
    func wait(until end: UInt64, or isOver: () -> Bool) -> Bool {
        while !time.hasEnded {
            let (isDone, next) = model.use { (isOver(), $0.nextTime) }
            if isDone { return true }
            guard time.now < end else { return false }
            let look = time.runsDatabase ? end : min(end, max(next ?? end, time.now + 1))
            time.wait(until: look) { [model] in
                model.use { _ in isOver() }
            }
        }
        return false
    }

    /// Sleeps for a time by chance, below a bound that doubles.
    ///
    /// - Returns: Whether there is time for another attempt.
    func pause(_ pauses: inout ModelPauses) -> Bool {
        let now = time.now
        guard now < pauses.end, !time.hasEnded else { return false }
        let drawn = UInt64(random(1...pauses.longest)) * 1_000_000
        _ = wait(until: min(pauses.end, now + drawn)) { false }
        pauses.longest = min(
            2 * pauses.longest, StoragePostgres.Limits.longestPauseMilliseconds)
        return !time.hasEnded
    }

    func pauses(milliseconds: Int) -> ModelPauses {
        ModelPauses(end: time.now + UInt64(milliseconds) * 1_000_000)
    }

    // MARK: Connections

    /// A connection to the primary.
    ///
    /// It tries one server after another. With `comparing` it asks all of them, and takes the one
    /// that took over last.
    ///
    /// - Parameter answers: How long an answer is waited for later, in milliseconds; nil for as
    ///   long as the options say.
    /// - Throws: ``StorageError`` with the code `unavailable` if the primary is not there,
    ///   `lostData` if it has lost commits.
    func connect(
        for use: Primary.Use = .other, isRepeatable: Bool = false, comparing: Bool = false,
        withinMilliseconds left: Int = .max, patience answers: Int? = nil
    ) throws(StorageError) -> ModelConnection {
        try checkSeen()
        let count = model.use { $0.nodes.count }
        let first = primary.number == 0 ? 0 : present
        let patience = min(options.connectMilliseconds, max(2_000, left))
        var found: [(index: Int, connection: ModelConnection, greeting: Greeting)] = []
        var failure = StorageError(.unavailable, "the database is not there")
        defer { for other in found { other.connection.close() } }
        for step in 0..<count {
            let index = (first + step) % count
            let connection = ModelConnection(
                self, to: index, isRepeatable: isRepeatable, patience: answers)
            do throws(StorageError) {
                let greeting = try connection.greet(seen, withinMilliseconds: patience)
                guard !greeting.isStandby else {
                    throw StorageError(.unavailable, "the server takes no writes")
                }
                found.append((index, connection, greeting))
                guard !comparing else { continue }
                try admit(connection, greeting, at: index, for: use)
                found.removeLast()
                return connection
            } catch {
                connection.close()
                found.removeAll { $0.connection === connection }
                if failure.code == .unavailable { failure = error }
            }
        }
        found.sort { $0.greeting.identity.timeline > $1.greeting.identity.timeline }
        for (place, other) in found.enumerated() {
            do throws(StorageError) {
                try admit(other.connection, other.greeting, at: other.index, for: use)
                found.remove(at: place)
                return other.connection
            } catch {
                if failure.code == .unavailable { failure = error }
            }
        }
        throw failure
    }

    /// A connection to one standby, or to what it has become.
    func connect(toStandby index: Int, within milliseconds: Int) throws(StorageError)
        -> ModelConnection
    {
        let connection = ModelConnection(self, to: index, isRepeatable: true)
        do throws(StorageError) {
            let greeting = try connection.greet(seen, withinMilliseconds: milliseconds)
            try admit(connection, greeting, at: index, for: .other)
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    private func admit(
        _ connection: ModelConnection, _ greeting: Greeting, at index: Int, for use: Primary.Use
    ) throws(StorageError) {
        let known = seen.renewal == nil ? nil : lease
        connection.number = try primary.admit(greeting.identity, for: use, known)
        guard greeting.isWhole else { throw lost() }
        presentIndex.withLock { $0 = index }
    }

    private let presentIndex = Mutex(0)
    private var present: Int { presentIndex.withLock { $0 } }
}

/// The facts that a server gives about itself.
struct Greeting {
    let identity: Primary.Identity
    let isStandby: Bool
    /// Whether it has all that the process has seen.
    let isWhole: Bool
}

/// Pauses between attempts, until a time is over.
struct ModelPauses {
    let end: UInt64
    var longest = StoragePostgres.Limits.firstPauseMilliseconds

    init(end: UInt64) { self.end = end }
}
