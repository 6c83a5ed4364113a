package import RelationModel

/// A user's age, as roughly as Facebook returns it: 13 to 17, 18 to 20, or 21 and more.
package struct AgeBracket: Equatable, Sendable {
    package let least: Int
    /// Nil if the bracket has no upper end.
    package let most: Int?

    /// Facebook's brackets; a younger user is in none.
    package static let all = [
        AgeBracket(least: 13, most: 17), AgeBracket(least: 18, most: 20),
        AgeBracket(least: 21, most: nil),
    ]

    /// The bracket by the birthday of `record`; nil if the birthday is not set, or the user is too
    /// young for all brackets.
    package static func of(_ record: ProfileRecord, on today: CalendarDay) -> AgeBracket? {
        of(birthday: record.birthday, on: today)
    }

    /// The bracket by a birthday as profiles have it.
    package static func of(birthday: UInt32?, on today: CalendarDay) -> AgeBracket? {
        guard let birthday, let born = CalendarDay(yyyymmdd: birthday) else { return nil }
        let age = born.years(until: today)
        return all.last { $0.least <= age }
    }
}
