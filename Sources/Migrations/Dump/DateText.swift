/// Reads the times of extended JSON, such as `2026-01-31T08:00:00.123Z`, and those of PostgreSQL,
/// such as `2026-01-31 08:00:00.123456+00`.
enum DateText {
    /// The milliseconds since 1970; nil if the text is not such a time.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count,
                bytes[range].allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            return bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        guard bytes.count >= 20, bytes[4] == 0x2d, bytes[7] == 0x2d,
            bytes[10] == 0x54 || bytes[10] == 0x20, bytes[13] == 0x3a, bytes[16] == 0x3a,
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var index = 19
        var milliseconds: Int64 = 0
        if bytes[index] == 0x2e {
            let end =
                bytes[(index + 1)...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.count
            var digits = Array(bytes[(index + 1)..<end].prefix(3))
            while digits.count < 3 { digits.append(0x30) }
            milliseconds = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
            index = end
        }
        guard index < bytes.count else { return nil }
        var shift: Int64 = 0
        if bytes[index] != 0x5a {
            var rest = bytes[(index + 1)...].filter { $0 != 0x3a }
            if rest.count == 2 { rest += [0x30, 0x30] }
            guard bytes[index] == 0x2b || bytes[index] == 0x2d, rest.count == 4,
                rest.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            let digits = rest.map { Int64($0 - 0x30) }
            shift = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
            if bytes[index] == 0x2b { shift = -shift }
        }
        let minutes = (days(year, month, day) * 24 + hour) * 60 + minute + shift
        return (minutes * 60 + second) * 1_000 + milliseconds
    }

    /// The days from 1970 to a day of the Gregorian calendar, whose years begin in March here.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }
}
