internal import Glibc
internal import Storage
import Support

/// A thread of an open store, whose end its owner waits for.
struct JoinedThread: Sendable {
    private let thread: pthread_t

    /// - Parameter name: The name that tools show; otherwise it would be that of the thread that
    ///   makes this one.
    /// - Throws: ``StorageError`` with the code `failed` if the system has no thread left.
    init(_ name: StaticString, _ body: @escaping @Sendable () -> Void) throws(StorageError) {
        let box = UnsafeMutablePointer<@Sendable () -> Void>.allocate(capacity: 1)
        box.initialize(to: {
            ThreadName.set("\(name)", kind: "store")
            body()
        })
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { raw in
                // The value was handed over below: this thread alone has it, and the caller gives
                // no nil.
                let box = raw!.assumingMemoryBound(to: (@Sendable () -> Void).self)
                let body = box.move()
                box.deallocate()
                body()
                return nil
            }, box)
        guard code == 0 else {
            box.deinitialize(count: 1).deallocate()
            throw Self.failure(code)
        }
        self.thread = thread
    }

    /// Waits for the end of the thread, once.
    func join() {
        pthread_join(thread, nil)
    }

    static func failure(_ code: Int32) -> StorageError {
        StorageError(.failed, "the system has no thread left: \(String(cString: strerror(code)))")
    }
}
