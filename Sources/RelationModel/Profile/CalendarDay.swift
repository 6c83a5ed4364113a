/// A day of the Gregorian calendar, in the years 1 to 9999.
package struct CalendarDay: Hashable, Comparable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int

    /// The day that `yyyymmdd` writes in decimal, or nil if there is no such day.
    package init?(yyyymmdd: UInt32) {
        year = Int(yyyymmdd / 1_00_00)
        month = Int(yyyymmdd / 1_00 % 1_00)
        day = Int(yyyymmdd % 1_00)
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
    }

    /// The day of `time`, in UTC.
    package init(of time: Timestamp) {
        let milliseconds = 86_400_000 as Int64
        let days = Int((Double(time.milliseconds) / Double(milliseconds)).rounded(.down))
        // Days since 1 March of the year 0: in years that begin in March, the leap day is the last
        // day.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    package static func < (one: CalendarDay, other: CalendarDay) -> Bool {
        (one.year, one.month, one.day) < (other.year, other.month, other.day)
    }

    /// Whole years from this day to `other`.
    ///
    /// A person born on 29 February is a year older on 1 March in years without that day.
    package func years(until other: CalendarDay) -> Int {
        let isEarlier = (other.month, other.day) < (month, day)
        return other.year - year - (isEarlier ? 1 : 0)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
