internal import CBacktrace

/// The calls of the stack in which the process ends.
///
/// `@unchecked Sendable`: the thread that makes it uses it before there are other threads.
/// Afterwards only the one thread that ends the process does.
final class Trace: @unchecked Sendable {
    /// It lives as long as the process.
    private let calls = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(
        capacity: Int(Limits.traceCalls))
    private var count: Int32 = 0

    func capture() { count = backtrace(calls, Limits.traceCalls) }

    func write(through text: CrashText) {
        for call in 0..<Int(count) {
            text.begin()
            text.addCall(at: calls + call)
            text.write()
        }
    }
}
