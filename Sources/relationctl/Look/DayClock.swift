import Glibc

/// A moment as a day and a time of the universal time.
enum DayClock {
    static func text(_ milliseconds: Int64) -> String {
        var (seconds, parts) = (time_t(milliseconds / 1_000), tm())
        guard gmtime_r(&seconds, &parts) != nil else { return "?" }
        var bytes = [CChar](repeating: 0, count: 64)
        let count = strftime(&bytes, bytes.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The milliseconds of a moment in the form of ``text(_:)``; nil if it has another form.
    static func milliseconds(_ text: String) -> Int64? {
        var parts = tm()
        let isWhole = text.withCString { start in
            strptime(start, "%Y-%m-%dT%H:%M:%SZ", &parts).map { $0.pointee == 0 } ?? false
        }
        return isWhole ? Int64(timegm(&parts)) * 1_000 : nil
    }
}
