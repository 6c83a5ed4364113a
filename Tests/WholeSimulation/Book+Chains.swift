import RelationAPI
import RelationModel

// The chains that the caches of clients give: each is the log of its user up to its sequence.

extension Book {
    /// Friends that an event of a log adds or removes.
    struct FriendChange {
        let sequence: Int64
        let added: [String]
        let removed: [String]
    }

    /// The friends of a user that a client had of its cache, with the sequence that they are of.
    struct Chain {
        let user: Int
        let sequence: Int64
        let friends: Set<String>
    }

    /// The friends that the log of a user adds and removes.
    static func friendChanges(_ events: [ChangeEvent]) -> [FriendChange] {
        events.compactMap { event in
            let names = event.items.map(\.userID)
            return switch event.kind {
            case .addFriend: FriendChange(sequence: event.sequence, added: names, removed: [])
            case .deleteFriend: FriendChange(sequence: event.sequence, added: [], removed: names)
            default: nil
            }
        }
    }
}

extension Book.Event {
    /// Whether a write of a caller made it.
    var isWritten: Bool {
        let kinds: [ChangeKind] = [.addFriend, .deleteFriend, .profileChange]
        return !requestID.isEmpty || kinds.contains { $0.rawValue == kind }
    }
}
