package import RelationModel
import Storage

/// A list of users that a user has by follows.
package enum FollowList: UInt8, CaseIterable, Sendable {
    /// The users that the user follows.
    case following = 1
    /// The users that follow the user.
    case followers = 2
    /// The users that follow the user and are followed by it.
    case mutual = 3
}

/// The row key of a follow in the order of a list: the list, the time of the follow, and the user
/// on the other side.
package struct ListedFollow: RowKey, Hashable {
    package let list: FollowList
    package let timeMs: Int64
    package let user: UserID

    package init(_ list: FollowList, timeMs: Int64, user: UserID) {
        self.list = list
        self.timeMs = timeMs
        self.user = user
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1, let list = FollowList(rawValue: bytes[0]),
            let timed = TimedUser(reading: UnsafeRawBufferPointer(rebasing: bytes[1...]))
        else { return nil }
        self.init(list, timeMs: timed.timeMs, user: timed.user)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(list.rawValue)
        TimedUser(timeMs: timeMs, user: user).append(to: &bytes)
    }
}

extension Table where TableKey == ListedFollow {
    /// The rows of a list: those before `position` in the order of their times, or all.
    func rows(
        of partition: Partition, _ list: FollowList, before position: TimedUser? = nil
    ) -> KeyRange {
        let lower = [kind, list.rawValue]
        var upper = [kind, list.rawValue + 1]
        if let position {
            upper = [kind]
            ListedFollow(list, timeMs: position.timeMs, user: position.user).append(to: &upper)
        }
        return KeyRange(in: partition, from: lower, to: upper)
    }

    /// The rows of a list after `position` in the order of their times, or all.
    func rows(
        of partition: Partition, _ list: FollowList, after position: ListedFollow?
    ) -> KeyRange {
        var lower = [kind, list.rawValue]
        if let position {
            lower = [kind]
            position.append(to: &lower)
            lower.append(0)
        }
        return KeyRange(in: partition, from: lower, to: [kind, list.rawValue + 1])
    }
}
