import RelationCore
package import RelationModel

/// The refusal of an item whose codes are a friend's.
package typealias FriendRefusal = Refusal<FriendStatus>

extension Refusal where Code == FriendStatus {
    package init(_ reason: Reason) {
        self.init(.invalidParameter, reason)
    }
}
