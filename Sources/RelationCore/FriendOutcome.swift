public import RelationModel

/// The outcome of an item about friends, applications, blacklists, groups or accounts.
package typealias FriendOutcome = Outcome<FriendStatus>

extension FriendStatus: OutcomeCode {
    @inlinable package var isAcceptable: Bool { self == .success || self == .pending }

    @usableFromInline package static var block: Outcome<FriendStatus>? { .blocked }
}
