package import RelationModel

/// How old a user is, as roughly as Facebook tells it: 13 to 17, 18 to 20, or 21 and more.
package struct AgeBracket: Equatable, Sendable {
    package let least: Int
    /// Nil where it has no end.
    package let most: Int?

    /// The brackets, which Facebook's are; somebody younger is in none.
    package static let all = [
        AgeBracket(least: 13, most: 17), AgeBracket(least: 18, most: 20),
        AgeBracket(least: 21, most: nil),
    ]

    /// The bracket by the birthday of `record`, or nil if that is not set or too late for any.
    package static func of(_ record: ProfileRecord, on today: CalendarDay) -> AgeBracket? {
        guard let birthday = record.birthday, let born = CalendarDay(yyyymmdd: birthday) else {
            return nil
        }
        let age = born.years(until: today)
        return all.last { $0.least <= age }
    }
}
