import HTTP2
import NIOCore

// The cost of a connection's messages before their calls see them.
extension ServerConnection {
    /// Whether the turn has time for one more message of a call; if not, the next one begins with
    /// it.
    func turnGoesOn(for stream: StreamPointer) -> Bool {
        guard !turn.step(1, loop.eventLoop) else { return true }
        session.remind(stream)
        return false
    }

    /// Expands a message of one of the connection's calls, unless there were too many.
    ///
    /// - Parameter isStranger: Whether its call needs no credential.
    func unpack(
        _ bytes: UnsafeRawBufferPointer, _ encoding: MessageEncoding, limit: Int, isStranger: Bool
    ) throws(RPCError) -> UnsafeRawBufferPointer {
        guard loop.expansion.allows(block, isStranger: isStranger, at: loop.now) else {
            complain("too_many_compressed_messages")
            throw RPCError(
                .resourceExhausted, "compressed messages come faster than they are expanded here")
        }
        guard context?.pipeline.syncOperations.isPeerThere ?? false else {
            hasLeft = true
            throw RPCError(.cancelled, "the client has gone")
        }
        defer {
            // One that is refused has cost what was made of it.
            let count = loop.packer.unpackedBytes
            loop.expansion.count(count, from: block, isStranger: isStranger)
            if count >= CallLimits.largeExpansionBytes { turn.end() }
        }
        return try loop.packer.unpack(bytes, encoding, limit: limit)
    }
}
