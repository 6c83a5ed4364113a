import Glibc
import Support

/// A time, as lines name it.
struct LogTime {
    private let seconds: time_t
    private let milliseconds: Int

    static var now: LogTime {
        let time = SystemClock.wall.now
        return LogTime(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
    }

    init(seconds: Int, milliseconds: Int) {
        self.seconds = seconds
        self.milliseconds = milliseconds
    }

    /// The machine's own time, with its distance from the universal one.
    var local: String {
        var parts = tm()
        var seconds = seconds
        localtime_r(&seconds, &parts)
        return Self.text(parts, "%Y-%m-%dT%H:%M:%S%z")
    }

    /// The universal time with milliseconds.
    var universal: String {
        var parts = tm()
        var seconds = seconds
        gmtime_r(&seconds, &parts)
        let digits = "\(milliseconds)"
        let zeros = String(repeating: "0", count: 3 - digits.count)
        return "\(Self.text(parts, "%Y-%m-%dT%H:%M:%S")).\(zeros)\(digits)Z"
    }

    private static func text(_ parts: tm, _ format: String) -> String {
        var parts = parts
        var bytes = [CChar](repeating: 0, count: 64)
        let count = strftime(&bytes, bytes.count, format, &parts)
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
