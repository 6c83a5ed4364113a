import NIOCore

/// The caller's end of a streaming call.
///
/// One task reads, by ``next()`` or by `for try await`, and one task sends. A stream that nobody
/// holds any more is cancelled, and so is one whose reading task is.
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

    /// Begins the call; with a request, that is all there is to send.
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
    /// A message that should not be `compressed` goes as it is; the others do so as well unless
    /// ``ClientConfiguration/encoding`` says otherwise.
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

    /// Tells the server that nothing more is sent.
    package func finishSending() {
        let call = self.call
        loop.execute { call.finishSending() }
    }

    /// The metadata that came before the first answer.
    ///
    /// - Throws: The status of the call if it ended without.
    package func initialMetadata() async throws(RPCError) -> Metadata {
        let result: Result<Metadata, RPCError> = await perform { call, done in
            call.readHead { done($0) }
        }
        return try result.get()
    }

    /// The next message, or nil after the last one of a call that succeeded.
    ///
    /// - Throws: The status of a call that did not.
    package func next() async throws(RPCError) -> [UInt8]? {
        let result: Result<[UInt8]?, RPCError> = await perform { call, done in
            call.read { done($0) }
        }
        return try result.get()
    }

    /// The metadata that came with the status; empty before.
    package func trailers() async -> Metadata {
        let call = self.call
        // The closure does not fail.
        return (try? await loop.submit { call.end?.trailers ?? [] }.get()) ?? []
    }

    /// How many messages have come compressed.
    package func compressedMessages() async -> Int {
        let call = self.call
        // The closure does not fail.
        return (try? await loop.submit { call.compressedMessages }.get()) ?? 0
    }

    package func cancel() {
        let call = self.call
        loop.execute { call.cancel() }
    }

    /// Runs `body` on the loop and waits for what it answers; cancels the call with the task.
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
