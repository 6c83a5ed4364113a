import Glibc
import Synchronization

/// How far a long command has come: one line of standard error that is written over, if a person
/// sees it.
final class ProgressLine: Sendable {
    private let action: String
    /// Nil if it is not known how far there is to go.
    private let all: Int64?
    private let isShown = isatty(STDERR_FILENO) == 1
    private let percent = Mutex(Int64(-1))

    init(_ action: String, of all: Int64? = nil) {
        self.action = action
        self.all = all
    }

    func show(_ done: Int64) {
        guard isShown else { return }
        guard let all else { return write("\r\(action): \(done)") }
        let now = all > 0 ? done * 100 / all : 100
        let isNew = percent.withLock { last in
            defer { last = now }
            return last != now
        }
        if isNew { write("\r\(action): \(now) %") }
    }

    func end() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
}
