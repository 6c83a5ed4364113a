/// Learns of devices that go online or offline.
package struct PresenceObserver: Sendable {
    /// Whether it wants to know of the app; asked under a lock, so it must not wait.
    package var wants: @Sendable (_ app: UInt32) -> Bool
    /// Takes steps, outside all locks; those of two calls at one time come in any order.
    package var notify: @Sendable ([PresenceStep]) -> Void

    package init(
        wants: @escaping @Sendable (_ app: UInt32) -> Bool,
        notify: @escaping @Sendable ([PresenceStep]) -> Void
    ) {
        self.wants = wants
        self.notify = notify
    }
}
