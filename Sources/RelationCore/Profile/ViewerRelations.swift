package import RelationModel

/// The relations of a viewer to a profile's owner by which fields may be for it.
package struct ViewerRelations: Equatable, Sendable {
    /// Whether the owner has the viewer in its friend list.
    package var isFriend = false
    /// Whether the viewer follows the owner.
    package var isFollower = false
    /// The owner's groups in which the viewer is, among those that were asked for.
    package var groups: [UInt32] = []

    package init() {}
}

extension ViewerRelations {
    /// Whether a field for those users is for this viewer.
    fileprivate func pass(_ visibility: Visibility, _ groups: [UInt32]) -> Bool {
        switch visibility {
        case .everyone: true
        case .friends: isFriend
        case .followers: isFollower
        case .groups: groups.contains { self.groups.contains($0) }
        // A number that a newer server wrote lets no user in.
        default: false
        }
    }
}
