internal import Glibc

/// Moments in a form that people read.
enum WallTime {
    /// A time as `2026-01-31 23:59:58 UTC`.
    static func text(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(milliseconds) ms" }
        let text = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { buffer in
                strftime(buffer.baseAddress!, buffer.count, "%Y-%m-%d %H:%M:%S UTC", &parts)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
