import GRPCWire
import HTTP2
import NIOCore
import RPC

// A call holds more than its stream: work on other threads, and one of its caller's open calls.
extension ServerCall {
    // MARK: Work

    /// Notes that work for the call begins on another thread.
    ///
    /// The returned handle must be resumed once, when that work is done, even if the call has
    /// ended. Until then the call counts among those of its connection, even if its client has
    /// reset it. So resetting a call saves its client none of its cost.
    package func beginWork() -> CallHandle {
        if state.workBegins() {
            charge(loop.messageBytes)
            noteHandOver()
        }
        return handle.ofWork
    }

    /// Takes back ``beginWork()``: no thread took the work.
    package func withdrawWork() {
        workDone()
    }

    /// Counts the request that work is done for: a thread has a copy of it, and the client decides
    /// how large it is.
    private func charge(_ bytes: Int) {
        guard bytes > 0, let connection else { return }
        workBytes = bytes
        connection.assembling += bytes
        connection.session.count(held: bytes)
    }

    /// Takes it out of the count.
    ///
    /// The bytes that a connection held went with it when it closed.
    func release(_ connection: ServerConnection?) {
        guard workBytes > 0 else { return }
        connection?.assembling -= workBytes
        connection?.session.count(held: -workBytes)
        workBytes = 0
    }

    // MARK: Time

    /// Has ``StreamHandler/alarmed(_:)`` called once after that time, if the call is open then.
    ///
    /// - Important: An alarm is held until its time comes, so a call should have one at a time.
    package func setAlarm(milliseconds: Int64) {
        let handle = handle
        loop.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
            handle.loop.wake()
            if let call = handle.openCall { call.run { $0.alarmed(call) } }
            handle.loop.flush()
        }
    }

    // MARK: Memory

    /// Lets a call that may last keep no memory but for what waits: from now on it knows nothing of
    /// the header block of its request.
    package func trimMemory() {
        guard isOpen, let stream else { return }
        notes?.readHeaders()
        connection?.session.trimMemory(stream)
    }

    /// Whether a request of that many bytes may be run; ends the call if not.
    ///
    /// The requests that other threads work on are held until that work is done.
    func hasRoom(toRun bytes: Int, _ connection: ServerConnection) -> Bool {
        guard connection.assembling - assembling + bytes <= CallLimits.assemblingBytes else {
            finish(Status(.resourceExhausted, "too many requests wait on one connection"))
            return false
        }
        guard connection.session.heldBytes > connection.loop.heldLevel else { return true }
        logViolation("too_large_share_of_memory")
        finish(.tooMuchHeld)
        return false
    }

    /// Ends the call because its connection holds too much.
    ///
    /// - Returns: Whether the client gets a status; not if it got a part of the answer before.
    func failForMemory() -> Bool {
        guard isOpen else { return false }
        let getsStatus = !state.areHeadersSent
        cancel(getsStatus ? .tooMuchHeld : nil)
        return getsStatus
    }

    // MARK: Usage

    /// Counts the call among those that `usage` has open, until it has ended and no work goes
    /// on for it.
    ///
    /// - Returns: The bound that is reached; the call is then not counted.
    package func enter(
        _ usage: Usage, within bounds: Usage.Bounds
    ) -> Usage.Bound? {
        precondition(self.usage == nil, "a call has one caller")
        guard isOpen else { return nil }
        if connection?.acquireKeptRoom(of: usage) != true,
            let bound = usage.acquireCall(within: bounds)
        {
            return bound
        }
        self.usage = usage
        return nil
    }

    /// Whether an earlier call has counted the request of a client for which the process itself
    /// makes this one.
    ///
    /// A request in another form, such as one of TIM's REST API, becomes one or several calls. Its
    /// rate is that of one.
    package var isRequestCounted: Bool { onConnection(\.isRequestCounted) ?? false }

    /// Notes that the rate of the caller has counted the call.
    package func rateIsCounted() {
        onConnection { $0.callIsCounted() }
    }

    /// Whether the call's connection is known to be one of `usage`'s, because that came last.
    package func isConnection(of usage: ObjectIdentifier) -> Bool {
        onConnection { $0.isLastShown(usage) } ?? false
    }

    /// Counts the call's connection among those of `usage`, for as long as it lasts.
    ///
    /// - Returns: The bound that is reached; the connection is then not counted.
    package func countConnection(
        of usage: Usage, within bounds: Usage.Bounds
    ) -> Usage.Bound? {
        connection?.show(usage, within: bounds)
    }

    /// Logs what the client does wrong, unless it was logged for this connection before.
    package func logViolation(_ violation: StaticString) {
        connection?.logViolation(violation)
    }
}

extension Status {
    fileprivate static let tooMuchHeld = Status(
        .resourceExhausted, "this connection holds more than its share of the server's memory")
}
