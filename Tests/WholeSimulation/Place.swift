/// A place that a simulation seldom comes to, and must come to now and then.
///
/// A check that never meets the state which it is about says nothing. So each place is counted, and
/// a test holds that none stays at zero.
package enum Place: String, CaseIterable, Sendable {
    case commitOfSeveral = "a commit had several writes"
    case readBesideCommit = "a read was answered while a commit waited for its disk"
    case readFromThread = "a row was not in memory, and a reader's thread answered"
    case writeRefused = "a write was refused, and nothing of it was written"
    case writeUnknown = "the store failed after it had taken a write"
    case unknownWritten = "such a write was on the disk"
    case unknownLost = "such a write was not on the disk"
    case killedIdle = "the process died while nothing was written"
    case killedInSync = "the process died while a commit waited for its disk"
    case killedAfterDisk = "such a commit was on the disk"
    case killedBeforeDisk = "such a commit was not on the disk"
    case killedWithQueue = "the process died while writes waited"
    case answerLost = "an answer was lost with its connection"
    case retried = "a write was sent again under its request id"
    case replayed = "a write sent again got the answer of before"
    case deadline = "a call ended by its deadline"
    case frozenUp = "a client was heard no more, and heard all"
    case frozenDown = "a client heard nothing more, and was heard"
    case cutWithCalls = "a connection was lost with open calls"
    case streamResumed = "a stream went on where the one before ended"
    case streamInSync = "an event came to a stream while a commit waited for its disk"
    case readFailed = "the disk failed under a read"
    case timeUpkeep = "the upkeep wrote beside callers"
    case slept = "the process slept, and woke up"
    case sleptInSync = "the process slept while a commit waited for its disk"
    case wallJumped = "the wall clock jumped"
    case cutOffWay = "one way between all clients and the server stood still"
    case streamsEnded = "a proxy ended the calls of a connection"
    case revokedCall = "a call was refused, since its key was revoked"
    case revokedStream = "a stream ended, since its key was revoked"
    case revokedInSync = "a call was refused for its key while a commit waited for its disk"
    case echoed = "an answered write was sent again, and had the same answer"
    case outdatedReport = "a report of presence came after a later one"
    case presenceLost = "the process died, and lost the presence"
    case resigned = "a caller believed that nothing was done"
    case stalledLoop = "the loop got no processor"
    case stalledThread = "a thread got no processor while it had work"
    case killedInTransaction = "a server died in its transaction"
    case sleptInTransaction = "a server slept in its transaction"
    case lapsed = "a server had no lease"
    case cutInCommit = "the answer to a commit was lost"
    case settledWritten = "a commit without an answer was found to be made"
    case settledLost = "a commit without an answer was found not to be made"
    case crashed = "the primary ended, and began again"
    case promoted = "a standby took over"
    case promotedInTransaction = "a standby took over while a transaction was under way"
    case frozenPrimary = "the primary did nothing"
    case frozenStandby = "the standby did nothing, and commits waited"
    case waitedForLock = "a transaction waited for the lock of another server"
    case otherServer = "a write was sent again to another server"
    case streamToOther = "a stream went on at another server"
    case failedStart = "a server could not start"
    case wokeFormer = "a former primary woke up, and took itself for the primary"
    case askedFormer = "a server asked a former primary that had woken up"
    case promotedLagging = "a standby took over that had not shown all that had come to it"
    case standbyAnswered = "a standby answered a read with a sequence"
    case standbyBehind = "a standby had not reached the sequence of a read"
    case failedBehind = "a read failed, since no standby had reached its sequence"
    case clockAhead = "the clock of the database was set ahead"
    case clockBack = "the clock of the database was set back"
    case heldUp = "nothing of a server came to the primary"
    case heldDown = "nothing of the primary came to a server"
    case heldInCommit = "one way to the primary stood still in a commit"
    case heldStandby = "one way between the primary and its standby stood still"
    case hungSession = "a session of a server hung"
    case hungWithLock = "a session hung that held locks"
    case hookFailed = "a request to the receiver of a hook failed"
    case hookRepeated = "the receiver of a hook got an event again"
    case hookLate = "a request came to a receiver that its server had given up"
    case clientRetried = "the Swift client made a call again"
    case clientReplayed = "a write that it sent again had been done, and was not done again"
    case clientUnknown = "a write was given up, whose request id the client had made"
    case clientRefused = "it asked for another key, and went on with that"
    case clientKept = "it gave a profile from its cache"
    case clientChainKept = "it gave a chain from its cache"
    case clientResumed = "a stream of it was lost, and it began another one"
    case clientLeft = "a program left its stream, and began anew with the token that it kept"
    case hookMoved = "another server, or another life of one, delivered for a hook"
}

extension Place {
    /// The places of servers that share a database.
    package static let shared: [Place] = [
        .killedIdle, .answerLost, .retried, .replayed, .deadline, .frozenUp, .frozenDown,
        .cutWithCalls, .streamResumed, .streamInSync, .slept, .cutOffWay, .streamsEnded,
        .revokedCall, .revokedStream, .echoed, .outdatedReport, .presenceLost, .resigned,
        .stalledLoop, .stalledThread, .readFromThread, .killedInTransaction, .sleptInTransaction,
        .lapsed, .cutInCommit, .crashed, .promoted, .promotedInTransaction, .frozenPrimary,
        .frozenStandby, .waitedForLock, .otherServer, .streamToOther, .failedStart,
        .settledWritten, .wokeFormer, .askedFormer, .promotedLagging, .standbyAnswered,
        .standbyBehind, .failedBehind, .clockAhead, .clockBack, .heldUp, .heldDown, .heldInCommit,
        .heldStandby, .hungSession, .hungWithLock, .hookFailed, .hookRepeated, .hookLate,
        .hookMoved,
    ]

    /// The places that only servers which share a database come to.
    private static let onlyShared: Set<Place> = [
        .killedInTransaction, .sleptInTransaction, .lapsed, .cutInCommit, .settledWritten,
        .settledLost, .crashed, .promoted, .promotedInTransaction, .frozenPrimary, .frozenStandby,
        .waitedForLock, .otherServer, .streamToOther, .failedStart, .wokeFormer, .askedFormer,
        .promotedLagging, .standbyAnswered, .standbyBehind, .failedBehind, .clockAhead, .clockBack,
        .heldUp, .heldDown, .heldInCommit, .heldStandby, .hungSession, .hungWithLock,
    ]

    /// The places of a server that has its own disk.
    package static let single = allCases.filter { !onlyShared.contains($0) }
}

/// The places and states that simulations met, added up.
package struct Sightings: Sendable {
    package private(set) var counts: [Place: Int] = [:]
    /// How often each error met each state of the server.
    package private(set) var meetings: [String: Int] = [:]

    package init() {}

    mutating func note(_ place: Place) { counts[place, default: 0] += 1 }

    mutating func note(error: String, in state: String) {
        meetings["\(error) | \(state)", default: 0] += 1
    }

    package mutating func add(_ other: Sightings) {
        counts.merge(other.counts, uniquingKeysWith: +)
        meetings.merge(other.meetings, uniquingKeysWith: +)
    }

    /// The ones of `places` that were never met.
    package func missing(of places: [Place]) -> [Place] { places.filter { counts[$0] == nil } }

    /// Both tables as text.
    package var table: String {
        let places = Place.allCases.map { "\(counts[$0] ?? 0)  \($0.rawValue)" }
        let met = meetings.keys.sorted().map { "\(meetings[$0] ?? 0)  \($0)" }
        return (["Places:"] + places + ["Faults, and the states that they met:"] + met)
            .joined(separator: "\n")
    }
}
