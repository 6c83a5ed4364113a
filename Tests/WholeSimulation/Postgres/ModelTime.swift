/// Time as a model of a database and its clients have it: they wait here, and nowhere else.
package protocol ModelTime: AnyObject, Sendable {
    /// Nanoseconds of a clock that never goes back.
    var now: UInt64 { get }

    /// Whether the process of a client has died: then it waits for nothing, and does nothing more.
    var hasEnded: Bool { get }

    /// Whether the database runs what is due by itself, so that one who waits need not look at it.
    var runsDatabase: Bool { get }

    /// Lets all others go on until `time`, or until `isOver`.
    ///
    /// It may return earlier. A process that sleeps wakes up before it returns.
    func wait(until time: UInt64, or isOver: () -> Bool)

    /// Something has changed for which others may wait.
    func changed()
}

extension ModelTime {
    package var runsDatabase: Bool { false }
}
