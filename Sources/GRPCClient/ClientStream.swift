import NIOCore
package import RPC

/// The caller's end of a streaming call.
///
/// One task reads, by ``next()`` or by `for try await`, and one task sends. The call is cancelled
/// when the last reference to its stream is gone, and when the task that reads is cancelled.
package final class ClientStream: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    private let call: ClientCall
    private var loop: any EventLoop { call.core.eventLoop }

    init(_ call: ClientCall) {
        self.call = call
    }

    deinit {
        let call = self.call
        call.core.eventLoop.execute { call.cancel() }
    }

    /// Begins the call; a `request` that is given here is the only one that is sent.
    func start(request: [UInt8]?, compressed: Bool = true) {
        let call = self.call
        loop.execute {
            if let request {
                call.send(request, compressed: compressed) { _ in }
                call.finishSending()
            }
            call.start()
        }
    }

    /// Sends a message, and waits while too much is queued.
    ///
    /// A message with `compressed` false is sent without compression. Other messages are compressed
    /// if ``ClientConfiguration/encoding`` says so.
    ///
    /// - Throws: The status of the call if it has ended.
    package func send(
        _ message: [UInt8], compressed: Bool = true
    ) async throws(RPCError) {
        let result: Result<Void, RPCError> = await perform { call, done in
            call.send(message, compressed: compressed) { done($0) }
        }
        try result.get()
    }

    /// Sends messages together, in their order: as if each was sent by itself, with less work.
    ///
    /// - Throws: The errors of ``send(_:compressed:)``. If one message is too long, the ones before
    ///   it may have been sent.
    package func send(contentsOf messages: [[UInt8]]) async throws(RPCError) {
        let result: Result<Void, RPCError> = await perform { call, done in
            call.send(contentsOf: messages) { done($0) }
        }
        try result.get()
    }

    /// Notifies the server that nothing more is sent.
    package func finishSending() {
        let call = self.call
        loop.execute { call.finishSending() }
    }

    /// The metadata that came before the first answer.
    ///
    /// - Throws: The status of the call if it ended without metadata.
    package func initialMetadata() async throws(RPCError) -> Metadata {
        let result: Result<Metadata, RPCError> = await perform { call, done in
            call.readHeaders { done($0) }
        }
        return try result.get()
    }

    /// The next message, or nil after the last one of a call that succeeded.
    ///
    /// - Throws: The status of the call if it failed.
    package func next() async throws(RPCError) -> [UInt8]? {
        let result: Result<[UInt8]?, RPCError> = await perform { call, done in
            call.read { done($0) }
        }
        return try result.get()
    }

    /// The metadata that came with the status; empty until the call has ended.
    package func trailers() async -> Metadata {
        let call = self.call
        // The closure does not fail.
        return (try? await loop.submit { call.end?.trailers ?? [] }.get()) ?? []
    }

    /// How many of the received messages were compressed.
    package func compressedMessages() async -> Int {
        let call = self.call
        // The closure does not fail.
        return (try? await loop.submit { call.compressedMessages }.get()) ?? 0
    }

    package func cancel() {
        let call = self.call
        loop.execute { call.cancel() }
    }

    /// Runs `body` on the loop and waits for its result; cancels the call if the task is cancelled.
    private func perform<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                ClientCall, @escaping @Sendable (Result<Value, RPCError>) -> Void
            ) -> Void
    ) async -> Result<Value, RPCError> {
        let call = self.call
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { body(call) { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            loop.execute { call.cancel() }
        }
    }

    // MARK: - AsyncSequence

    package func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    package struct Iterator: AsyncIteratorProtocol {
        let stream: ClientStream

        package mutating func next() async throws -> [UInt8]? {
            try await stream.next()
        }
    }
}
