import GRPCWire
import HTTP2
import NIOCore
import RPC

// The cost of a connection's messages before their calls see them.
extension ServerConnection {
    /// Whether the time slice has time for one more message of a call; if not, the next one begins
    /// with it.
    func sliceGoesOn(for stream: StreamPointer) -> Bool {
        guard !slice.step(1, loop.eventLoop) else { return true }
        session.requeue(stream)
        return false
    }

    /// Whether a message that must be expanded, or translated, may be worked on now; if not, the
    /// connection goes on with it in a time slice of its own.
    func sliceTakesBulk(of stream: StreamPointer) -> Bool {
        guard !loop.bulk.allows(at: loop.eventLoop.now) else { return true }
        session.requeue(stream)
        waitForSlice()
        return false
    }

    /// Counts bytes that were expanded or translated.
    func didBulk(_ bytes: Int) {
        loop.bulk.count(bytes, at: loop.eventLoop.now)
        if bytes >= CallLimits.largeExpansionBytes { slice.end() }
    }

    /// Expands a message of one of the connection's calls, unless there were too many.
    ///
    /// - Parameter isUnauthenticated: Whether its call needs no credential.
    func unpack(
        _ bytes: UnsafeRawBufferPointer, _ encoding: MessageEncoding, limit: Int,
        isUnauthenticated: Bool
    ) throws(RPCError) -> UnsafeRawBufferPointer {
        guard loop.expansion.allows(block, isUnauthenticated: isUnauthenticated, at: loop.now)
        else {
            logViolation("too_many_compressed_messages")
            throw RPCError(
                .resourceExhausted, "compressed messages come faster than they are expanded here")
        }
        guard context?.pipeline.syncOperations.isPeerThere ?? false else {
            state.left()
            throw RPCError(.cancelled, "the client has gone")
        }
        defer {
            // One that is refused has cost what was made of it.
            let count = loop.packer.unpackedBytes
            loop.expansion.count(count, from: block, isUnauthenticated: isUnauthenticated)
            didBulk(max(count, CallLimits.leastExpandedBytes))
        }
        return try loop.packer.unpack(bytes, encoding, limit: limit)
    }
}
