import GRPCWire
import HTTP2
import NIOCore
import Synchronization

/// One connection, as an operator sees it.
package struct ConnectionNote: Sendable, Equatable {
    package let peer: String
    package let loop: Int
    package let openCalls: Int
    package let heldBytes: Int
    package let ageSeconds: Int64
    /// Since a call began last.
    package let idleSeconds: Int64
}

/// The connections of all loops, gathered as the loops come to it.
private final class ConnectionNotes: Sendable {
    private struct State {
        var notes: [ConnectionNote] = []
        var count = 0
        var loops: Int
    }

    private let state: Mutex<State>

    init(loops: Int) {
        state = Mutex(State(loops: loops))
    }

    /// Takes the notes of one loop, of which some may be left out.
    ///
    /// - Returns: All notes with the number of connections, once the last loop has come.
    func add(_ notes: [ConnectionNote], of count: Int) -> (notes: [ConnectionNote], count: Int)? {
        state.withLock { state in
            state.notes += notes
            state.count += count
            state.loops -= 1
            return state.loops == 0 ? (state.notes, state.count) : nil
        }
    }
}

extension ServerLoop {
    /// The busiest connections of the loop, on the loop.
    func notes() -> [ConnectionNote] {
        let now = eventLoop.now
        let notes = allConnections.map { connection in
            ConnectionNote(
                peer: connection.peerAddress, loop: index,
                openCalls: connection.session.openStreams,
                heldBytes: connection.session.heldBytes,
                ageSeconds: connection.state.ageSeconds(at: now),
                idleSeconds: connection.state.idleSeconds(at: now))
        }
        return Array(notes.sorted(by: ConnectionNote.isBusier).prefix(CallLimits.shownConnections))
    }
}

extension ConnectionNote {
    fileprivate static func isBusier(_ one: ConnectionNote, _ other: ConnectionNote) -> Bool {
        (one.openCalls, one.heldBytes, one.ageSeconds)
            > (other.openCalls, other.heldBytes, other.ageSeconds)
    }
}

extension Server {
    /// Gives `body` the busiest connections, and how many there are in all, on a thread of any
    /// loop; a server that has stopped, or a loop that hangs, never does.
    ///
    /// This does not wait.
    package func connections(
        _ body: @escaping @Sendable (_ notes: [ConnectionNote], _ count: Int) -> Void
    ) {
        let gathered = ConnectionNotes(loops: loops.count)
        areThreadsUp.withLock { isUp in
            guard isUp else { return }
            for loop in loops {
                loop.eventLoop.execute {
                    let notes = loop.notes()
                    guard let all = gathered.add(notes, of: loop.connectionCount) else { return }
                    let busiest = all.notes.sorted(by: ConnectionNote.isBusier)
                    body(Array(busiest.prefix(CallLimits.shownConnections)), all.count)
                }
            }
        }
    }
}
