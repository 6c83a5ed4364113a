/// A value or a row of the other system that the export cannot hold, and so leaves out.
package struct MigrationLoss: Sendable, Equatable {
    /// The user whose row it is.
    package let user: String
    /// The list that the row is of: profile, group, friend, blacklist, follow or account.
    package let kind: String
    /// The other user or the group of the row; empty if the row has none.
    package let other: String
    /// The name of the value in the other system; empty for the row as a whole.
    package let field: String
    package let rule: String

    /// Whether it stands for rows of a list that are not known, and not for one value or row.
    package var isOfList: Bool { other.isEmpty && field.isEmpty }

    /// Whether the other system did not return what it was asked for.
    package var isUnread: Bool { isOfList || rule.hasPrefix(Self.unread) }

    /// The rule of a row about a user of whom the file has no account.
    package static let outside = "names a user that the accounts do not have"

    static let unread = "was not returned by "

    package init(
        _ user: String, _ kind: String, _ other: String = "", field: String = "",
        because rule: String
    ) {
        (self.user, self.kind, self.other) = (user, kind, other)
        (self.field, self.rule) = (field, rule)
    }
}
