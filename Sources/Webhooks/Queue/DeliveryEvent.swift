/// An event that is to be delivered.
package struct DeliveryEvent: Sendable, Equatable {
    /// The user in whose order it must arrive.
    package var user: String
    /// The position in the app's feed: above 0, and above that of each event before it.
    package var position: Int64
    /// When it happened, since 1970.
    package var timeMilliseconds: Int64
    /// The kind, for the one who makes the request of it.
    package var kind: String
    /// The event as the request has it, or as a batch has each of its events.
    package var body: [UInt8]

    package init(
        user: String, position: Int64, timeMilliseconds: Int64, kind: String, body: [UInt8]
    ) {
        self.user = user
        self.position = position
        self.timeMilliseconds = timeMilliseconds
        self.kind = kind
        self.body = body
    }

    /// The memory that it counts for.
    var bytes: Int { body.count + user.utf8.count + kind.utf8.count + 128 }
}

/// Events that go out in one request.
package struct DeliveryBatch: Sendable, Equatable {
    /// The number by which the queue knows it.
    package let id: Int
    /// One event at least; those of one user are in order.
    package let events: [DeliveryEvent]
    /// The number of the attempt, from 1 on: the highest of its users.
    package let attempt: Int
}
