internal import RPC
internal import Synchronization

/// A stream between a client and a double, in memory.
///
/// It ends like one on a connection: when the double's function returns or throws, by `cancel()`,
/// and when the last reference of its caller is gone.
package final class DoubleStream: Sendable {
    /// The requests of the caller, in their order.
    package let requests: AsyncStream<[UInt8]>
    private let asking: AsyncStream<[UInt8]>.Continuation
    let answers: AsyncThrowingStream<[UInt8], any Error>
    private let answering: AsyncThrowingStream<[UInt8], any Error>.Continuation

    init() {
        (requests, asking) = AsyncStream.makeStream()
        (answers, answering) = AsyncThrowingStream.makeStream()
    }

    /// Sends an answer to the caller.
    package func answer(_ bytes: [UInt8]) {
        answering.yield(bytes)
    }

    /// Lets `double` serve the stream until the caller ends it.
    fileprivate func begin(_ double: any ClientDouble, _ path: String, _ metadata: CallMetadata) {
        let task = Task {
            do {
                try await double.serve(self, of: path, metadata: metadata)
                answering.finish()
            } catch {
                answering.finish(throwing: RPCError(thrown: error))
            }
        }
        answering.onTermination = { _ in task.cancel() }
    }

    /// Takes a request of the caller.
    fileprivate func ask(_ bytes: [UInt8]) {
        asking.yield(bytes)
    }

    fileprivate func finishAsking() {
        asking.finish()
    }

    fileprivate func end(_ error: RPCError) {
        asking.finish()
        answering.finish(throwing: error)
    }
}

/// The caller's end of a stream to a double.
final class DoubleWay: StreamWay {
    private let stream = DoubleStream()
    /// How the stream has ended, once a reader knows.
    private let ended = Mutex<Result<Void, RPCError>?>(nil)

    init(_ double: any ClientDouble, _ path: String, _ metadata: CallMetadata) {
        stream.begin(double, path, metadata)
    }

    deinit {
        cancel()
    }

    func send(_ message: [UInt8]) async throws(RPCError) {
        stream.ask(message)
    }

    func send(contentsOf messages: [[UInt8]]) async throws(RPCError) {
        for message in messages { stream.ask(message) }
    }

    func finishSending() {
        stream.finishAsking()
    }

    func initialMetadata() async throws(RPCError) -> Metadata { [] }

    func next() async throws(RPCError) -> [UInt8]? {
        if let ended = ended.withLock({ $0 }) {
            try ended.get()
            return nil
        }
        do throws(RPCError) {
            let answer = try await read()
            if answer == nil { ended.withLock { $0 = .success(()) } }
            return answer
        } catch {
            ended.withLock { $0 = .failure(error) }
            throw error
        }
    }

    private func read() async throws(RPCError) -> [UInt8]? {
        do {
            var answers = stream.answers.makeAsyncIterator()
            let answer = try await answers.next()
            // The end of a task that waits ends the stream.
            if answer == nil, Task.isCancelled { throw CancellationError() }
            return answer
        } catch let error as RPCError {
            throw error
        } catch {
            cancel()
            throw RPCError(.cancelled, "the caller cancelled the call")
        }
    }

    func cancel() {
        stream.end(RPCError(.cancelled, "the caller cancelled the call"))
    }
}
