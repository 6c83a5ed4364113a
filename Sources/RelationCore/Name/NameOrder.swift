package import RelationModel

/// The text by which a list is sorted, if names decide.
package enum NameOrder: Hashable, Sendable {
    /// First name, then middle name, then last name.
    case firstName
    /// Last name, then first name, then middle name.
    case lastName
    /// The name that the owner sees.
    case displayName(DisplayOrder)
}

/// The key of a row in an order by names: its key, and its id where keys are equal.
package struct NameKey: Equatable, Sendable {
    package let key: [UInt8]
    package let user: UserID

    package init(key: [UInt8], user: UserID) {
        self.key = key
        self.user = user
    }
}
