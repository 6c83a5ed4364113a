import GRPCWire
import Glibc
import HTTP2
import NIOCore
import RPC

// The actions of a connection, and its end.
extension ServerConnection {
    private var hasCalls: Bool { session.openStreams > 0 }

    /// Does what follows an event.
    @inline(__always)
    func perform(_ action: ConnectionStateMachine.Action) {
        if case .nothing = action { return }
        act(action)
    }

    private func act(_ action: ConnectionStateMachine.Action) {
        switch action {
        case .nothing: break
        case .ping:
            // A client of HTTP/1.1 cannot be asked. It has a request that is being answered, or is
            // idle, for which there is another bound.
            guard http1 == nil else { return state.noteActivity(at: loop.now) }
            session.ping(1)
            markDirty()
        case .announce(let notifiesCalls):
            session.announceShutdown()
            http1?.isDraining = true
            markDirty()
            guard notifiesCalls else { return }
            // After the warning, so that whoever takes them up again does it elsewhere.
            for call in loop.calls(on: self) { call.run { $0.stopping(call) } }
        case .drain:
            session.refuseNewStreams()
            markDirty()
        case .cutOff: terminate(.connectionIsOld)
        case .leave: sendLastGoAway()
        case .part: part()
        case .close: close()
        case .giveUp(let violation):
            logViolation(violation.name)
            close()
        case .refuse(let violation):
            logViolation(violation.name)
            session.refuseNewStreams(violation.code, debugData: violation.name)
            close()
        case .terminate(let violation):
            session.terminate(violation.code, for: violation.name)
            close()
        case .turnAway(let violation):
            logViolation(violation.name)
            session.terminate(violation.code)
            perform(state.finishedWriting())
        }
    }

    // MARK: - What time shows

    /// The process did not run for so long: that time is not the client's.
    func forgive(_ lost: TimeAmount) {
        state.forgive(lost, at: loop.now)
        http1?.forgive(lost, at: loop.now)
    }

    /// Looks for what only time can show.
    func sweep() {
        perform(state.checkTime(at: loop.now, session.walk))
        guard !state.isClosed else { return }
        http1?.sweep(at: loop.now)
        guard !state.isClosed else { return }
        let looks = Int(CallLimits.streamStalledSeconds / CallLimits.sweepSeconds)
        if session.resetStalled(after: looks, taking: CallLimits.streamStalledBytes) > 0 {
            logViolation("unread_stream")
            markDirty()
        }
        endWarning()
        let idleSeconds = loop.configuration.connectionIdleSeconds
        perform(state.endIdleness(at: loop.now, hasCalls: hasCalls, after: idleSeconds))
        endLife()
    }

    /// Goes on if the client has had time to answer the ping after the warning.
    func endWarning() {
        perform(state.endWarning(at: loop.now, hasCalls: hasCalls))
    }

    /// Asks the client of an old connection to make another one.
    func endLife() {
        let graceSeconds = loop.configuration.graceSeconds
        perform(state.endLife(at: loop.now, hasCalls: hasCalls, graceSeconds: graceSeconds))
    }

    // MARK: - The end

    /// Lets running calls finish and refuses new ones.
    func shutDown() {
        perform(state.shutDown(at: loop.now, hasCalls))
    }

    /// Ends the calls that still run with `status`, and then the connection.
    func terminate(_ status: Status) {
        guard !state.isClosed else { return }
        http1?.isDraining = true
        for call in loop.calls(on: self) { call.cancel(status) }
        // Their answers go out before the last frame of the connection.
        if let context, state.isWritable { write(context) }
        sendLastGoAway()
    }

    /// Sends the client the number of the last call that was answered, and goes.
    private func sendLastGoAway() {
        guard !state.isClosed else { return }
        speakHTTP2IfSilent()
        session.terminate(.noError)
        perform(state.finishedWriting())
    }

    /// Sends what waits, and closes the socket once the client has taken it.
    ///
    /// A socket that is closed while it has bytes to read makes the peer's system forget what it
    /// has not read: the last answers, and up to which call there are any. So only our half is
    /// closed, and what comes is dropped until the client has closed its own, for a short time.
    private func part() {
        guard let context else { return }
        write(context)
        lost()
        let channel = context.channel
        let time = TimeAmount.seconds(CallLimits.closeSeconds)
        let cutOff = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in cutOff.cancel() }
        context.close(mode: .output, promise: nil)
    }

    /// Sends what waits, closes the socket and ends the calls.
    func close() {
        guard let context, !state.isClosed else { return }
        if state.isWritable { write(context) }
        if let violation = session.violation { logViolation(violation) }
        lost()
        context.close(promise: nil)
    }

    /// Ends the connection without a word, so that the client's system learns of a reset.
    func cut() {
        guard let context, !state.isClosed else { return }
        // With this time the system drops what waits, and sends a reset in place of an end.
        _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(
            linger(l_onoff: 1, l_linger: 0))
        lost()
        context.close(promise: nil)
    }
}
