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
        let digits = text.split { "-T:Z".contains($0) }.map { Int32($0) ?? -1 }
        guard digits.count == 6 else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
            digits[0] &- 1_900, digits[1] &- 1, digits[2]
        )
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (digits[3], digits[4], digits[5])
        let milliseconds = Int64(timegm(&parts)) * 1_000
        // A day that the month does not have is another one.
        return self.text(milliseconds) == text ? milliseconds : nil
    }
}
