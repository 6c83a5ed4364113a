// What a call holds beyond its stream: work on other threads, and a place among its caller's calls.
extension ServerCall {
    // MARK: Work

    /// Notes that work for the call begins on another thread.
    ///
    /// The handle that is returned must be resumed once, when that work is done, whatever became of
    /// the call: until then the call counts among those of its connection, even if its client has
    /// reset it. Who gives up a call so costs us what it did before.
    package func beginWork() -> CallHandle {
        work += 1
        return handle.ofWork
    }

    /// Takes back ``beginWork()``: nobody took the work.
    package func withdrawWork() {
        workDone()
    }

    // MARK: A place

    /// Counts the call among those that `footprint` has open, until it has ended and no work goes
    /// on for it.
    ///
    /// - Returns: The bound that is reached; the call is then not counted.
    package func enter(
        _ footprint: Footprint, within bounds: Footprint.Bounds
    ) -> Footprint.Bound? {
        precondition(self.footprint == nil, "a call has one caller")
        guard isOpen else { return nil }
        if let bound = footprint.takeCall(within: bounds) { return bound }
        self.footprint = footprint
        return nil
    }

    /// Whether the call's connection is known to be one of `footprint`'s, because that came last.
    package func isConnection(of footprint: Footprint) -> Bool {
        connection?.lastShown === footprint
    }

    /// Counts the call's connection among those of `footprint`, for as long as it lasts.
    ///
    /// - Returns: The bound that is reached; the connection is then not counted.
    package func countConnection(
        of footprint: Footprint, within bounds: Footprint.Bounds
    ) -> Footprint.Bound? {
        connection?.show(footprint, within: bounds)
    }

    /// Tells the log what the client does wrong, unless it was told of this connection before.
    package func complain(_ offence: StaticString) {
        connection?.complain(offence)
    }
}
