import Dispatch
import Synchronization

/// Asynchronous work of a program whose main thread must not end.
enum Blocking {
    /// Carries a result from a task to a thread that waits for it.
    private final class Box<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Holds the calling thread until `body` has ended.
    static func wait<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let box = Box<Value>()
        let isSet = DispatchSemaphore(value: 0)
        Task {
            do {
                let value = try await body()
                box.result.withLock { $0 = .success(value) }
            } catch { box.result.withLock { $0 = .failure(error) } }
            isSet.signal()
        }
        isSet.wait()
        // The result was set before the signal for which this waited.
        return try box.result.withLock { $0 }!.get()
    }
}
