/// A duration or a timestamp, and its string in JSON.
struct JSONTime {
    var seconds: Int64
    var nanos: Int32

    init(seconds: Int64, nanos: Int32) {
        self.seconds = seconds
        self.nanos = nanos
    }

    private var isDuration: Bool {
        seconds.magnitude <= UInt64(DurationMessage.longestSeconds)
            && nanos.magnitude < UInt32(Self.nanosPerSecond)
            && (seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0))
    }

    private var isTimestamp: Bool {
        TimestampMessage.seconds.contains(seconds) && (0..<Self.nanosPerSecond).contains(nanos)
    }

    /// Reads seconds with up to nine digits after the point, "1.5s".
    init?(duration: JSONBytes) {
        var text = Array(duration.raw)[...]
        guard text.popLast() == UInt8(ascii: "s") else { return nil }
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative { text.removeFirst() }
        let digits = text.prefix { $0 != UInt8(ascii: ".") }
        guard let whole = Self.number(digits),
            let fraction = Self.nanos(text[digits.endIndex...])
        else { return nil }
        seconds = isNegative ? -whole : whole
        nanos = isNegative ? -fraction : fraction
        guard isDuration else { return nil }
    }

    /// Nil if it is beyond the bounds of durations.
    var duration: String? {
        guard isDuration else { return nil }
        let sign = seconds < 0 || nanos < 0 ? "-" : ""
        return "\(sign)\(seconds.magnitude)\(Self.fraction(nanos))s"
    }

    /// Reads RFC 3339 with capital letters and up to nine digits after the point.
    ///
    /// Like Google's readers, it accepts no leap seconds: `2026-01-02T03:04:05Z`,
    /// `2026-01-02T03:04:05.5+01:00`.
    init?(timestamp: JSONBytes) {
        let text = Array(timestamp.raw)
        let pattern = Array("dddd-dd-ddTdd:dd:dd".utf8)
        guard text.count > pattern.count,
            zip(text, pattern).allSatisfy({ $1 == UInt8(ascii: "d") ? true : $0 == $1 })
        else { return nil }
        let ranges = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19]
        let parts = ranges.compactMap { Self.number(text[$0]) }
        let rest = text[pattern.count...]
        let point = rest.prefix { $0 == UInt8(ascii: ".") || Self.isDigit($0) }
        guard parts.count == 6, parts[0] > 0, (1...12).contains(parts[1]),
            (1...Self.days(inMonth: parts[1], of: parts[0])).contains(parts[2]),
            parts[3] < 24, parts[4] < 60, parts[5] < 60,
            let fraction = Self.nanos(point),
            let offset = Self.offset(rest[point.endIndex...])
        else { return nil }
        let days = Self.daysSince1970(parts[0], parts[1], parts[2])
        seconds = days * 86_400 + parts[3] * 3_600 + parts[4] * 60 + parts[5] - offset
        nanos = fraction
        guard isTimestamp else { return nil }
    }

    /// Nil if it is beyond the bounds of timestamps.
    var timestamp: String? {
        guard isTimestamp else { return nil }
        let second = ((seconds % 86_400) + 86_400) % 86_400
        let (year, month, day) = Self.date(daysSince1970: (seconds - second) / 86_400)
        let date = [(year, 4), (month, 2), (day, 2)].map { Self.padded($0, $1) }
        let time = [second / 3_600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }
        return date.joined(separator: "-") + "T" + time.joined(separator: ":")
            + Self.fraction(nanos) + "Z"
    }

    // The digits and the calendar.

    private static let nanosPerSecond: Int32 = 1_000_000_000

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// The number that the digits are; nil if there are other characters, no digits, or too many.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard (1...18).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// The fraction from the point on; 0 if the text is empty.
    private static func nanos(_ text: ArraySlice<UInt8>) -> Int32? {
        guard text.first == UInt8(ascii: ".") else { return text.isEmpty ? 0 : nil }
        let digits = text.dropFirst()
        guard digits.count <= 9, let value = number(digits) else { return nil }
        return (digits.count..<9).reduce(Int32(value)) { value, _ in value * 10 }
    }

    /// The point and three, six or nine digits; empty for zero.
    private static func fraction(_ nanos: Int32) -> String {
        guard nanos != 0 else { return "" }
        var digits = padded(Int64(nanos.magnitude), 9)
        while digits.hasSuffix("000") { digits.removeLast(3) }
        return "." + digits
    }

    /// Seconds east of UTC: "Z", or "+01:00".
    private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
        if text.elementsEqual("Z".utf8) { return 0 }
        let start = text.startIndex
        guard text.count == 6, text[start + 3] == UInt8(ascii: ":"),
            let hours = number(text[(start + 1)..<(start + 3)]), hours < 24,
            let minutes = number(text[(start + 4)...]), minutes < 60
        else { return nil }
        let seconds = hours * 3_600 + minutes * 60
        switch text[start] {
        case UInt8(ascii: "+"): return seconds
        case UInt8(ascii: "-"): return -seconds
        default: return nil
        }
    }

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The days from 1970 to a date.
    ///
    /// Years begin with March here, so that a leap day is the last day of its year. There are
    /// 719,468 days between the first of March of the year 0 and 1970.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    /// The date of a day from the year 1 on.
    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        var year = (days + 719_468) * 400 / 146_097 + 1
        while daysSince1970(year, 3, 1) > days { year -= 1 }
        let dayOfYear = days - daysSince1970(year, 3, 1)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return month < 10 ? (year, month + 3, day) : (year + 1, month - 9, day)
    }
}
