import Protobuf
package import RelationModel
import Storage

/// The lanes of an app's feed: enough of them that writers rarely meet in one.
package enum Lane {
    package static let count: UInt8 = 64

    /// The lane of a user: FNV-1a of its id, the same in every process and for ever.
    package static func of(_ user: UserID) -> UInt8 {
        var text = user.text
        // The bytes at once: a walk over the view costs ten times as much for each.
        let hash = text.withUTF8 { bytes in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            return hash
        }
        return UInt8(truncatingIfNeeded: (hash >> 32 ^ hash) % UInt64(count))
    }

    /// Adds the lane of `user`, which a write reads that changes the amounts of the user's lists.
    ///
    /// A write that is refused, or finds all as it should be, does not read it.
    static func add(_ user: UserID, of app: App, to keys: inout KeyList) {
        keys.addPossible { keys in
            Tables.lanes.add(app.id, App.laneNames[Int(of(user))].utf8, OnlyKey(), to: &keys)
        }
    }

    /// Adds the lane of `user`, which a write reads that only tells the user of something.
    ///
    /// An app that does not record all events has no such row to read.
    static func addForTelling(_ user: UserID, of app: App, to keys: inout KeyList) {
        if app.settings.recording == .all { add(user, of: app, to: &keys) }
    }
}
