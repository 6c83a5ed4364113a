import Dispatch
import Synchronization

/// Asynchronous work of a program whose main thread must not end.
enum Blocking {
    /// Holds the calling thread until `body` has ended.
    static func wait<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let result = ResultBox<Value>()
        Task {
            do {
                result.set(.success(try await body()))
            } catch {
                result.set(.failure(error))
            }
        }
        return try result.wait().get()
    }
}

/// Carries a result from a task to a thread that waits for it.
private final class ResultBox<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    func set(_ value: Result<Value, any Error>) {
        result.withLock { $0 = value }
        isSet.signal()
    }

    func wait() -> Result<Value, any Error> {
        isSet.wait()
        // The result was set before the signal for which this waited.
        return result.withLock { $0 }!
    }
}
