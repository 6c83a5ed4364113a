package import RelationModel

/// The rules by which an event of a user's log comes to streams of users: to those of the user
/// itself, and to those of others.
package enum WatchedEvents {
    /// Whether a stream that follows a user gets events of that kind about it.
    ///
    /// Reports and risks are for moderators, who follow the app. A stream of one user ends with its
    /// account, and gets no other message about that.
    ///
    /// - Parameter followedWithOthers: Whether the stream names its users as a list.
    package static func reachOwner(_ kind: ChangeKind, followedWithOthers: Bool) -> Bool {
        var ladder = NoRungs()
        return reachOwner(kind, followedWithOthers: followedWithOthers, noting: &ladder)
    }

    static func reachOwner(
        _ kind: ChangeKind, followedWithOthers: Bool, noting ladder: inout some RungRecorder
    ) -> Bool {
        let isForModerators =
            kind == .userReported || kind == .reportResolved || kind == .riskMarked
        return ladder.passes(
            .eventKind, !isForModerators && (followedWithOthers || kind != .accountDeleted))
    }

    /// Whether events of that kind come to streams of other users too, each of the part that it
    /// sees.
    package static func reachOthers(_ kind: ChangeKind) -> Bool {
        var ladder = NoRungs()
        return reachOthers(kind, noting: &ladder)
    }

    static func reachOthers(
        _ kind: ChangeKind, noting ladder: inout some RungRecorder
    ) -> Bool {
        ladder.passes(.eventKind, kind == .profileChange || kind == .visibilityChanged)
    }
}
