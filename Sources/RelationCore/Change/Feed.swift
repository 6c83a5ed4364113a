import Storage

/// The events of an app in the order of their commits, each at a position of its own.
///
/// Positions begin with 1 and have no gaps. A reader's progress is the position of the last event
/// that it has seen, whether it follows one user or the whole app.
package enum Feed {
    /// The state of the feed of `app`; that of an empty feed if it has no event yet.
    package static func state(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> FeedState {
        try Tables.feedStates.record(app.feed, OnlyKey(), in: transaction) ?? FeedState()
    }

    /// Adds the feed's state, which a write reads that changes a list or records an event.
    ///
    /// A write that is refused, or finds all as it should be, does not read it.
    static func addState(of app: App, to keys: inout KeyList) {
        keys.addPossible { keys in
            Tables.feedStates.add(app.id, App.feedName.utf8, OnlyKey(), to: &keys)
        }
    }
}
