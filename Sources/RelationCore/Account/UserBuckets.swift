package import RelationModel

/// The spreading of users over the partitions of an app that list many of them.
package enum UserBuckets {
    package static let count: UInt8 = 64

    /// The number of a user: FNV-1a of its id, the same in every process and for ever.
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
}
