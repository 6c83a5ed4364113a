/// The events of one user that wait or are under way.
struct UserLine: Sendable {
    struct Waiting: Sendable {
        let event: DeliveryEvent
        /// Its number in the window.
        let entry: Int
    }

    var waiting = Fifo<Waiting>()
    var bytes = 0
    /// How many of the first events are under way.
    var underWay = 0
    /// The failed attempts since the last one that succeeded.
    var attempts = 0
    /// The same, since the receiver was away.
    var strikes = 0
    /// When the first and the last one of these attempts failed.
    var failingSince: Int64 = 0
    var failedAt: Int64 = 0

    /// How many of these attempts had failed when the receiver last took events of another user.
    var passedOver = 0

    /// Whether the receiver has refused one of these attempts for what its events are.
    var wasRejected = false

    /// The moment from which the time counts that an event of it may fail.
    ///
    /// Its own time alone would give up an old event that is sent for the first time.
    func begin(of event: DeliveryEvent) -> Int64 { max(event.timeMilliseconds, failingSince) }

    var isFailing: Bool { attempts > 0 }

    /// Whether its events go out by themselves, so that they harm no other user.
    var goesAlone: Bool { strikes >= 2 }
}
