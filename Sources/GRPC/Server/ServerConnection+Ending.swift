import HTTP2
import NIOCore
import RPC

// The end of a connection: when it comes, and how its client is told.
extension ServerConnection {
    /// Lets running calls finish and refuses new ones.
    func shutDown() {
        guard life.isOpen else { return }
        // Of a client that has hardly begun nothing runs. If it has sent requests meanwhile, their
        // numbers are above the one that it is told.
        guard peerLimits.isHandshakeDone || session.openStreams > 0 else { return leave() }
        session.announceShutdown()
        life.announce(at: loop.now)
        markDirty()
    }

    /// Goes on if the client has had time to answer the ping: it may be gone, or read nothing, and
    /// must not hold up a stop if nothing runs for it.
    func endWarning() {
        guard life.isWarningOver(at: loop.now) else { return }
        if session.openStreams == 0 { leave() } else { drain() }
    }

    /// Refuses new calls; those that run finish.
    func drain() {
        life.drain()
        session.refuseNewStreams()
        markDirty()
    }

    /// Ends the calls that still run with `status`, and then the connection.
    func terminate(_ status: Status) {
        guard !life.isClosed else { return }
        for call in loop.calls(on: self) { call.cancel(status) }
        // Their answers go out before the last frame of the connection.
        if let context, isWritable { write(context) }
        leave()
    }

    /// Tells the client up to which call it was answered, and goes.
    func leave() {
        guard !life.isClosed else { return }
        speakHTTP2IfSilent()
        session.terminate(.noError)
        part()
    }

    /// Asks a client to go that has had no call for long: it makes another connection when it has.
    func endIdleness() {
        guard life.isOpen, let seconds = loop.configuration.connectionIdleSeconds else { return }
        if session.openStreams > 0 { life.called(at: loop.now) }
        if life.isIdle(at: loop.now, forSeconds: seconds) { shutDown() }
    }

    /// Asks the client of an old connection to make another one.
    func endLife() {
        switch life.due(at: loop.now, graceSeconds: loop.configuration.graceSeconds) {
        case .nothing: break
        case .warning:
            shutDown()
            // After the warning, so that whoever takes them up again does it elsewhere.
            for call in loop.calls(on: self) { call.run { $0.stopping(call) } }
        case .end: terminate(.connectionIsOld)
        }
    }
}
