import Synchronization

/// The open calls of a server that need no credential, such as watches of its health.
///
/// A call that is answered at once is never counted: only what stays open costs memory.
final class StrangerCalls: Sendable {
    private let open = Atomic(0)

    /// Counts one more; false if the server has ``CallLimits/strangersCalls`` of them.
    func take() -> Bool {
        let count = open.add(1, ordering: .relaxed).newValue
        guard count > CallLimits.strangersCalls else { return true }
        giveBack()
        return false
    }

    func giveBack() {
        open.subtract(1, ordering: .relaxed)
    }

    var count: Int { open.load(ordering: .relaxed) }
}

// The calls of one connection.
extension ServerCall {
    /// Whether the call needs no credential.
    var isForStrangers: Bool { state.method?.isForStrangers ?? false }

    /// Counts a call that stays open and needs no credential, and keeps nothing of its head, or
    /// ends it because there are too many.
    func stayOpenForStranger(_ connection: ServerConnection) {
        keepLittle()
        guard connection.strangersCalls < CallLimits.strangersCallsPerConnection else {
            return refuseStranger("this connection has", CallLimits.strangersCallsPerConnection)
        }
        guard loop.strangers.take() else {
            return refuseStranger("the server has", CallLimits.strangersCalls)
        }
        connection.strangersCalls += 1
        state.isCountedAsStranger = true
    }

    private func refuseStranger(_ subject: String, _ count: Int) {
        complain("too_many_calls_without_credential")
        let text = "\(subject) \(count) calls open that need no credential, which is the most"
        finish(Status(.resourceExhausted, text))
    }

    /// Gives back what ``stayOpenForStranger(_:)`` counted.
    func leaveAsStranger(_ connection: ServerConnection) {
        connection.strangersCalls -= 1
        loop.strangers.giveBack()
    }
}
