import Glibc

/// Times as RFC 3339 and HTTP write them.
enum TimeText {
    /// The time with its milliseconds, in UTC, such as `2026-02-03T04:05:06.007Z`.
    ///
    /// Times that do not have a year of four digits become the nearest one that does.
    static func text(ofMilliseconds milliseconds: Int64) -> String {
        let bounds: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
        let time = min(max(milliseconds, bounds.lowerBound), bounds.upperBound)
        let thousandth = ((time % 1_000) + 1_000) % 1_000
        var seconds = time_t((time - thousandth) / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date =
            "\(digits(parts.tm_year + 1_900, 4))-\(digits(parts.tm_mon + 1))-"
            + digits(parts.tm_mday)
        let clock = "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))"
        return "\(date)T\(clock).\(digits(Int32(thousandth), 3))Z"
    }

    private static func digits(_ number: Int32, _ count: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// The seconds of a date of HTTP, `Sun, 06 Nov 1994 08:49:37 GMT`; nil for other forms, which
    /// no program of today writes.
    static func seconds(ofHTTPDate text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].count == 4, words[0].last == ",", words[5] == "GMT",
            let day = number(words[1], 2, 1...31), let month = months.firstIndex(of: words[2]),
            let year = number(words[3], 4, 1_900...9_999)
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], 2, 0...23),
            let minute = number(clock[1], 2, 0...59), let second = number(clock[2], 2, 0...60)
        else { return nil }
        var parts = tm()
        parts.tm_year = year - 1_900
        parts.tm_mon = Int32(month)
        (parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec) = (day, hour, minute, second)
        return Int64(timegm(&parts))
    }

    private static func number(
        _ text: Substring, _ count: Int, _ range: ClosedRange<Int32>
    ) -> Int32? {
        guard text.utf8.count == count, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int32(text), range.contains(number)
        else { return nil }
        return number
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
