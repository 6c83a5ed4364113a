import RelationClient
import Synchronization

/// Says on standard error that a watch has lost its server, and when the server is back.
final class LossNotice: Sendable {
    private let isLost = Mutex(false)
    private let hasOthers: Bool

    /// - Parameter hasOthers: Whether the next try goes to another address.
    init(hasOthers: Bool) {
        self.hasOthers = hasOthers
    }

    /// Says it at the first try: the further ones of an outage are silent.
    func show(_ reconnection: Reconnection) {
        let isNew = isLost.withLock { isLost in
            defer { isLost = true }
            return !isLost
        }
        guard isNew else { return }
        let next: PlainText = hasOthers ? "the next address is tried" : "is tried again"
        StandardError.print(
            "watch: the server is lost, and \(next): \(reconnection.error.description)")
    }

    /// A message has come.
    func end() {
        let wasLost = isLost.withLock { isLost in
            defer { isLost = false }
            return isLost
        }
        if wasLost { StandardError.print("watch: the server is back") }
    }
}
