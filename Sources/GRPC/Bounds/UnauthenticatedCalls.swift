import GRPCWire
import RPC
import Synchronization

/// The open calls of a server that need no credential, such as watches of its health.
///
/// A call that is answered at once is never counted: only what stays open costs memory.
final class UnauthenticatedCalls: Sendable {
    private let open = Atomic(0)

    /// Counts one more; false if the server has ``CallLimits/unauthenticatedCalls`` of them.
    func acquire() -> Bool {
        let count = open.add(1, ordering: .relaxed).newValue
        guard count > CallLimits.unauthenticatedCalls else { return true }
        release()
        return false
    }

    func release() {
        open.subtract(1, ordering: .relaxed)
    }

    var count: Int { open.load(ordering: .relaxed) }
}

// The calls of one connection.
extension ServerCall {
    /// Whether the call needs no credential.
    var isForUnauthenticated: Bool { parts.method?.isForUnauthenticated ?? false }

    /// Counts a call that stays open and needs no credential, and keeps nothing of its header
    /// block, or ends it because there are too many.
    func acquireUnauthenticated(_ connection: ServerConnection) {
        trimMemory()
        guard connection.unauthenticatedCalls < CallLimits.unauthenticatedCallsPerConnection else {
            return refuseUnauthenticated(
                "this connection has", CallLimits.unauthenticatedCallsPerConnection)
        }
        guard loop.unauthenticated.acquire() else {
            return refuseUnauthenticated("the server has", CallLimits.unauthenticatedCalls)
        }
        connection.unauthenticatedCalls += 1
        parts.isCountedAsUnauthenticated = true
    }

    private func refuseUnauthenticated(_ subject: String, _ count: Int) {
        logViolation("too_many_calls_without_credential")
        let text = "\(subject) \(count) calls open that need no credential, which is the most"
        finish(Status(.resourceExhausted, text))
    }

    /// Gives back what ``acquireUnauthenticated(_:)`` counted.
    func releaseUnauthenticated(_ connection: ServerConnection) {
        connection.unauthenticatedCalls -= 1
        loop.unauthenticated.release()
    }
}
