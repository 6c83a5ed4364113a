/// The things that all parts of a simulation share: the order of events, chance, and the findings.
package final class SimulatedWorld {
    package let seed: UInt64
    let scheduler = Scheduler()
    let wire = Wire()
    package private(set) var digest = Digest64()
    package private(set) var findings: [BrokenPromise] = []
    package private(set) var sightings = Sightings()
    /// The events, a line each, with its time.
    package private(set) var lines: [String] = []
    private let keepsLines: Bool
    /// How far the wall clock of the process is off, in milliseconds.
    var wallOffset: Int64 = 0
    /// Whether the errors are over: then nothing may fail any more.
    var isCalm = false

    /// - Parameter keepsLines: Whether what happened is kept as text.
    init(seed: UInt64, keepsLines: Bool) {
        self.seed = seed
        self.keepsLines = keepsLines
    }

    var now: UInt64 { scheduler.now }

    func chance(_ part: String) -> Chance { Chance(seed, part) }

    /// Adds an event to the digest, and a line to the story.
    func note(_ text: @autoclosure () -> String) {
        let text = text()
        digest.add(now)
        digest.add(text.utf8)
        guard keepsLines else { return }
        lines.append("\(scheduler.milliseconds) ms: \(text)")
    }

    /// Adds bytes that came over a line to the digest.
    func note(_ bytes: [UInt8], on line: Int) {
        digest.add(now)
        digest.add(UInt64(line))
        digest.add(bytes)
    }

    /// Adds to the digest that a thread of a process goes on.
    func note(turnOf process: Int, thread: Int) {
        digest.add(now)
        digest.add(UInt64(process << 16 | thread))
    }

    /// The word by which the line of a finding is known.
    static let foundMark = "FOUND"

    func met(_ place: Place) { sightings.note(place) }

    func met(_ error: Failure, in state: String) { sightings.note(error: error.kind, in: state) }

    func find(_ kind: BrokenPromise.Kind, _ text: String) {
        findings.append(BrokenPromise(kind: kind, text: text))
        note("\(Self.foundMark): \(kind.rawValue): \(text)")
    }
}

/// A promise that was broken.
package struct BrokenPromise: Sendable, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        case lostWrite = "a value that is too old, or that was never written"
        case refusedWrite = "a refused write took effect"
        case halfPair = "only one side of a friendship"
        case doubleRequest = "a request took effect twice"
        case otherAnswer = "a request that was sent again got another answer"
        case revoked = "a revoked key opened the server"
        case presence = "a presence that is not that of the last report"
        case events = "events with a gap, a double or another order"
        case cache = "an answer of a client's cache that is none of its moment"
        case lateCall = "a call did not end by its deadline"
        case standstill = "something did not go on after the last fault"
        case leftover = "something was left over when all had ended"
        case answer = "an answer that only a fault of the server explains"
    }

    package let kind: Kind
    package let text: String

    package var description: String { "\(kind.rawValue): \(text)" }
}
