import RelationModel
import Storage

/// The lanes of an app's feed.
///
/// A lane belongs to a committer: the one that counts its positions. So the positions of a lane are
/// in the order of its commits, and a transaction writes one row of one lane, whichever users it is
/// about. A store in this process has one committer, and so one lane. Readers of a feed go lane by
/// lane, and a point of the feed has a position for each.
package enum Lane {
    /// The lanes that a store has.
    package static let count: UInt8 = 1

    /// The lane of this process's committer.
    package static let own: UInt8 = 0

    /// Adds the lane, which a write reads that changes the amounts of users' lists.
    ///
    /// A write that is refused, or finds all as it should be, does not read it.
    static func add(of app: App, to keys: inout KeyList) {
        keys.addPossible { keys in
            Tables.lanes.add(app.id, App.laneName.utf8, OnlyKey(), to: &keys)
        }
    }

    /// Adds the lane, which a write reads that only tells a user of something.
    static func addForTelling(of app: App, to keys: inout KeyList) {
        add(of: app, to: &keys)
    }
}
