import RelationAPI
import RelationModel

/// A copy of the friends that is kept from messages alone, as the contract says.
struct FriendCopy {
    private(set) var friends: Set<String> = []
    private(set) var sequence = 0
    /// Whether no present state is being sent.
    private(set) var isWhole = false

    /// Returns a problem if the message does not go on from the one before.
    mutating func apply(_ message: WatchResponse) -> String? {
        guard let event = message.event else { return nil }
        switch event.kind {
        case .resync:
            friends = []
            sequence = 0
            isWhole = false
        case .state:
            if isWhole { return "a present state without RESYNC" }
            sequence = max(sequence, Int(event.sequence))
            guard event.syncType == .friends else { break }
            for item in event.items where !friends.insert(item.userID).inserted {
                return "\(item.userID) is there twice"
            }
        case .syncCompleted:
            if isWhole { return "a second end of the present state" }
            isWhole = !message.resumeToken.isEmpty
            sequence = max(sequence, Int(event.sequence))
        default:
            if !isWhole { return "an event within the present state" }
            guard Int(event.sequence) == sequence + 1 else {
                return "event \(event.sequence) follows \(sequence)"
            }
            sequence += 1
            for item in event.items {
                let isRight =
                    event.kind == .addFriend
                    ? friends.insert(item.userID).inserted : friends.remove(item.userID) != nil
                if !isRight { return "event \(sequence) does not fit" }
            }
        }
        return nil
    }
}
