/// The answer of a receiver.
package struct WebhookAnswer: Sendable, Equatable {
    package var status: Int
    /// The time that the receiver wants to be left alone, from `retry-after`.
    package var retryAfter: Duration?
    /// The beginning of the body, as long as the request keeps it.
    ///
    /// The receiver wrote it: it belongs into no log, and into no answer to a tenant.
    package var body: [UInt8] = []
    /// Whether the body went on after ``body``.
    package var isCut = false

    package init(status: Int) {
        self.status = status
    }

    /// Whether the receiver has taken the message.
    package var isTaken: Bool { (200...299).contains(status) }
}
