package import RelationModel
package import Storage

// Row keys: the part of a key that follows the kind, for the tables of subscriptions.

/// The row key of a subscription: its type, and the user that it is to.
package struct SubscriptionKey: RowKey, Hashable {
    package let type: SubscribeType
    package let user: UserID

    package init(_ type: SubscribeType, _ user: UserID) {
        self.type = type
        self.user = user
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1,
            let user = UserID(reading: UnsafeRawBufferPointer(rebasing: bytes[1...]))
        else { return nil }
        self.init(SubscribeType(rawValue: Int32(bytes[0])), user)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: type.rawValue))
        user.append(to: &bytes)
    }
}

/// The row key of a subscription in an index by time: its type, its end, and the user on its other
/// side.
package struct SubscriptionEnd: RowKey, Hashable {
    package let type: SubscribeType
    package let timeMs: Int64
    package let user: UserID

    package init(_ type: SubscribeType, timeMs: Int64, user: UserID) {
        self.type = type
        self.timeMs = timeMs
        self.user = user
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1,
            let timed = TimedUser(reading: UnsafeRawBufferPointer(rebasing: bytes[1...]))
        else { return nil }
        self.init(
            SubscribeType(rawValue: Int32(bytes[0])), timeMs: timed.timeMs, user: timed.user)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: type.rawValue))
        TimedUser(timeMs: timeMs, user: user).append(to: &bytes)
    }
}

extension Table where TableKey == SubscriptionEnd {
    /// The rows of that type that end at a time from `first` through `last`.
    func rows(
        of partition: Partition, _ type: SubscribeType, from first: Int64 = .min,
        through last: Int64 = .max
    ) -> KeyRange {
        let number = UInt8(truncatingIfNeeded: type.rawValue)
        var (lower, upper) = ([kind, number], [kind, number])
        lower.append(timeMs: first)
        if last == .max { upper = [kind, number + 1] } else { upper.append(timeMs: last + 1) }
        return KeyRange(in: partition, from: lower, to: upper)
    }
}

extension Table where TableKey == SubscriptionKey {
    /// The rows of that type, or of all types, after `last`.
    package func rows(
        of partition: Partition, _ type: SubscribeType?, after last: SubscriptionKey?
    ) -> KeyRange {
        var (lower, upper) = ([kind], [kind + 1])
        if let type {
            let number = UInt8(truncatingIfNeeded: type.rawValue)
            (lower, upper) = ([kind, number], [kind, number + 1])
        }
        if let last {
            lower = [kind]
            last.append(to: &lower)
            lower.append(0)
        }
        return KeyRange(in: partition, from: lower, to: upper)
    }
}

extension App {
    /// The users that have subscriptions, by a time before which none of theirs ends.
    package var subscriptionEnds: Partition { Partition(app: id, name: [0x08]) }
}
