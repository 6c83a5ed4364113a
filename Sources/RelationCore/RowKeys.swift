import Memory
package import RelationModel
package import Storage

// Row keys: the part of a key of `Tables` that follows the kind. A text stands last in its row key,
// so it needs neither a length nor an end.

extension UserID: RowKey {
    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return nil }
        self.init(stored: bytes)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text.utf8)
    }

    package func write(to writer: inout KeyWriter) {
        writer.append(text)
    }
}

/// A row key that is a text and nothing else.
package protocol TextKey: RowKey {
    var text: String { get }

    init(_ text: String)
}

extension TextKey {
    package init?(reading bytes: UnsafeRawBufferPointer) {
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text.utf8)
    }

    package func write(to writer: inout KeyWriter) {
        writer.append(text)
    }
}

/// A user at a time: the row key of an index by time.
package struct TimedUser: RowKey, Comparable {
    package let timeMs: Int64
    package let user: UserID

    package init(timeMs: Int64, user: UserID) {
        self.timeMs = timeMs
        self.user = user
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard let (timeMs, rest) = bytes.splittingTime(), let user = UserID(reading: rest) else {
            return nil
        }
        self.init(timeMs: timeMs, user: user)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(timeMs: timeMs)
        user.append(to: &bytes)
    }

    package static func < (one: TimedUser, other: TimedUser) -> Bool {
        one.timeMs != other.timeMs ? one.timeMs < other.timeMs : one.user < other.user
    }
}

/// A user at a sequence: the row key of an index by version.
package struct SequencedUser: RowKey, Hashable, Comparable {
    package let sequence: Int64
    package let user: UserID

    package init(sequence: Int64, user: UserID) {
        self.sequence = sequence
        self.user = user
    }

    /// The row key after every user at `sequence`: no id has a byte as high as its one byte.
    package init(after sequence: Int64) {
        self.init(sequence: sequence, user: UserID(stored: [0x7F]))
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 8,
            let user = UserID(reading: UnsafeRawBufferPointer(rebasing: bytes[8...]))
        else { return nil }
        let sequence = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        self.init(sequence: Int64(bitPattern: sequence), user: user)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: UInt64(bitPattern: sequence))
        user.append(to: &bytes)
    }

    package static func < (one: SequencedUser, other: SequencedUser) -> Bool {
        (one.sequence, one.user) < (other.sequence, other.user)
    }
}

/// The name of a friend group: 1 to 30 bytes of text.
package struct GroupName: TextKey, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// The row key of a member of a friend group: the number of the group, and the member.
package struct GroupMember: RowKey {
    package let group: UInt32
    package let user: UserID

    package init(group: UInt32, user: UserID) {
        self.group = group
        self.user = user
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 4,
            let user = UserID(reading: UnsafeRawBufferPointer(rebasing: bytes[4...]))
        else { return nil }
        self.init(group: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)), user: user)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: group)
        user.append(to: &bytes)
    }
}

/// The row key of a record in a pendency list: its owner's side of the application, and the other
/// user.
package struct PendencyKey: RowKey, Hashable {
    package let type: PendencyType
    package let user: UserID

    package init(_ type: PendencyType, _ user: UserID) {
        self.type = type
        self.user = user
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1,
            let user = UserID(reading: UnsafeRawBufferPointer(rebasing: bytes[1...]))
        else { return nil }
        self.init(PendencyType(rawValue: Int32(bytes[0])), user)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: type.rawValue))
        user.append(to: &bytes)
    }

    package func write(to writer: inout KeyWriter) {
        writer.append(UInt8(truncatingIfNeeded: type.rawValue))
        user.write(to: &writer)
    }
}

/// The row key of an application in the order of times, in milliseconds since 1970.
package struct TimedPendency: RowKey {
    package let timeMs: Int64
    package let key: PendencyKey

    package init(timeMs: Int64, key: PendencyKey) {
        self.timeMs = timeMs
        self.key = key
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard let (timeMs, rest) = bytes.splittingTime(),
            let key = PendencyKey(reading: rest)
        else { return nil }
        self.init(timeMs: timeMs, key: key)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(timeMs: timeMs)
        key.append(to: &bytes)
    }
}

/// The row key of a record of an application that has ended: the time of the end, its owner's side,
/// how it ended, and the other user.
package struct HandledKey: RowKey, Equatable {
    package let timeMs: Int64
    package let type: PendencyType
    package let status: ApplicationStatus
    package let user: UserID

    package init(timeMs: Int64, type: PendencyType, status: ApplicationStatus, user: UserID) {
        self.timeMs = timeMs
        self.type = type
        self.status = status
        self.user = user
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard let (timeMs, rest) = bytes.splittingTime(), rest.count > 2,
            let user = UserID(reading: UnsafeRawBufferPointer(rebasing: rest[2...]))
        else { return nil }
        self.init(
            timeMs: timeMs, type: PendencyType(rawValue: Int32(rest[0])),
            status: ApplicationStatus(rawValue: Int32(rest[1])), user: user)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(timeMs: timeMs)
        bytes.append(UInt8(truncatingIfNeeded: type.rawValue))
        bytes.append(UInt8(truncatingIfNeeded: status.rawValue))
        user.append(to: &bytes)
    }
}

/// The identifier that a caller gave to a write, so that repeating the write is harmless.
package struct RequestID: TextKey, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// The row key of a request id in the order of times, in milliseconds since 1970.
package struct TimedRequest: RowKey {
    package let timeMs: Int64
    package let id: RequestID

    package init(timeMs: Int64, id: RequestID) {
        self.timeMs = timeMs
        self.id = id
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard let (timeMs, rest) = bytes.splittingTime(), let id = RequestID(reading: rest) else {
            return nil
        }
        self.init(timeMs: timeMs, id: id)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(timeMs: timeMs)
        id.append(to: &bytes)
    }
}

/// A position in the history of an app, below the request id of the call: the row key of an index.
///
/// The text has its length before it, so that no request id is the beginning of another one.
package struct RequestPosition: RowKey, Hashable {
    package let id: RequestID
    package let position: UInt64

    package init(id: RequestID, position: UInt64) {
        self.id = id
        self.position = position
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 10 else { return nil }
        let count = Int(bytes[0]) << 8 | Int(bytes[1])
        guard bytes.count == 10 + count else { return nil }
        id = RequestID(String(decoding: bytes[2..<2 + count], as: UTF8.self))
        position = bytes[(2 + count)...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    package func append(to bytes: inout [UInt8]) {
        let text = id.text.utf8
        bytes.append(UInt8(truncatingIfNeeded: text.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: text.count))
        bytes.append(contentsOf: text)
        bytes.append(bigEndian: position)
    }
}

extension Table {
    /// The rows of `partition` whose row keys begin with a time from `first` through `last`.
    ///
    /// - Precondition: The table's row keys begin with a time.
    func rows(
        of partition: Partition, from first: Int64 = .min, through last: Int64 = .max
    ) -> KeyRange {
        var (lower, upper) = ([kind], [kind])
        lower.append(timeMs: first)
        if last == .max { upper = [kind + 1] } else { upper.append(timeMs: last + 1) }
        return KeyRange(in: partition, from: lower, to: upper)
    }
}

extension [UInt8] {
    /// Appends a time so that earlier times sort first, those before 1970 included.
    mutating func append(timeMs: Int64) {
        append(bigEndian: UInt64(bitPattern: timeMs) ^ (1 << 63))
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func splittingTime() -> (timeMs: Int64, rest: UnsafeRawBufferPointer)? {
        guard count >= 8 else { return nil }
        let time = UInt64(bigEndian: loadUnaligned(as: UInt64.self)) ^ (1 << 63)
        return (Int64(bitPattern: time), UnsafeRawBufferPointer(rebasing: self[8...]))
    }
}
