package import RelationModel

/// One user of a call on a friend list, with the values that the caller's own row is to have.
package struct FriendItem: Equatable {
    package let user: UserID
    package var values = FriendValues()
    /// The sequence that the row must have; nil for any.
    package var expectedSequence: Int64?
    /// Whether the values are reviewed, in an app that reviews some.
    package var isReviewed = true

    package init(user: UserID) {
        self.user = user
    }
}
