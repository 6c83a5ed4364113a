import RelationModel
import Storage

/// The rows of a user's partition that name one other user, a bit each.
///
/// Each bit is one row, so a row that is written or removed changes one bit. Both directions stand
/// in the one partition: ``BackReferences`` note there what the other user's rows say.
package struct AdjacencyFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The user has the other as a friend.
    static let friend = AdjacencyFlags(rawValue: 1 << 0)
    /// The other does not have the user, whom it is a friend of.
    static let unreturned = AdjacencyFlags(rawValue: 1 << 1)
    /// The other has the user as a friend, and the user does not have the other.
    static let friendOf = AdjacencyFlags(rawValue: 1 << 2)
    /// The user has the other on its blacklist.
    static let blocked = AdjacencyFlags(rawValue: 1 << 3)
    /// The other has the user on its blacklist.
    static let blocking = AdjacencyFlags(rawValue: 1 << 4)
    /// The user has a record of an application that it sent to the other.
    static let sent = AdjacencyFlags(rawValue: 1 << 5)
    /// The user has a record of an application that it received from the other.
    static let received = AdjacencyFlags(rawValue: 1 << 6)
    /// The other has a record of an application that the user sent and has hidden.
    static let hiddenSent = AdjacencyFlags(rawValue: 1 << 7)
    /// The other has a record of an application that it sent, and that the user has hidden.
    static let hiddenReceived = AdjacencyFlags(rawValue: 1 << 8)

    /// The other has the user as a friend, and its row mutes or ignores the user.
    static let muting = AdjacencyFlags(rawValue: 1 << 9)

    /// Whether the user has the other as a friend.
    @inline(__always)
    package var isMine: Bool { contains(.friend) }

    /// Whether the other has the user as a friend.
    @inline(__always)
    package var isTheirs: Bool {
        contains(.friend) ? !contains(.unreturned) : contains(.friendOf)
    }

    /// Whether the user has the other on its blacklist.
    @inline(__always)
    package var isBlocked: Bool { contains(.blocked) }

    /// Whether the other has the user on its blacklist.
    @inline(__always)
    package var isBlocking: Bool { contains(.blocking) }

    /// Whether the other's row of the user has a mute, or says that the user is ignored.
    @inline(__always)
    package var isMuting: Bool { contains(.muting) }

    package var hasSent: Bool { contains(.sent) }
    package var hasReceived: Bool { contains(.received) }

    /// Whether an application between the two may wait, in either direction and on either side.
    package var mayWait: Bool {
        !isDisjoint(with: [.sent, .received, .hiddenSent, .hiddenReceived])
    }
}

extension AdjacencyFlags {
    /// The fact that the row of `kind` with this row key states of the other user, and how many
    /// bytes of the row key come before that user; nil for a row that states none.
    static func stated(
        kind: UInt8, rowKey: UnsafeRawBufferPointer
    ) -> (fact: AdjacencyFlags, prefix: Int)? {
        switch kind {
        case Tables.friends.kind: return (.friend, 0)
        case Tables.blacklist.kind: return (.blocked, 0)
        case Tables.pendencies.kind:
            guard let type = rowKey.first else { return nil }
            switch PendencyType(rawValue: Int32(type)) {
            case .sendOut: return (.sent, 1)
            case .comeIn: return (.received, 1)
            default: return nil
            }
        case Tables.mentions.kind:
            switch rowKey.first.flatMap(Mention.List.init) {
            case .friends: return (.friendOf, 1)
            case .unreturned: return (.unreturned, 1)
            case .blacklist: return (.blocking, 1)
            case .comeIn: return (.hiddenSent, 1)
            case .sendOut: return (.hiddenReceived, 1)
            case .muting: return (.muting, 1)
            case nil: return nil
            }
        default: return nil
        }
    }
}
