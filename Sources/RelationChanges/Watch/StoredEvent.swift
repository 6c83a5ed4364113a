import Memory
import Protobuf
import RelationCore
import RelationModel
import Storage

/// The fields of a stored event that decide which streams get it, and when.
///
/// A walk reads them, since every event of an app is read, and most go to one stream or none. To
/// decode even these three took a seventh of all the work of sending such an event.
struct StoredEventHeader {
    private(set) var kind = ChangeKind.unspecified
    private(set) var deviceID = ""
    private(set) var feedPosition: Int64 = 0

    /// - Throws: ``CodecError``: `malformed`, `tooDeep`.
    init(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
        var walk = FieldWalk(bytes)
        while let (number, value) = try walk.next() {
            switch (number, value) {
            case (1, .varint(let raw)): kind = ChangeKind(rawValue: Int32(truncatingIfNeeded: raw))
            case (4, .bytes(let text)): deviceID = String(decoding: text, as: UTF8.self)
            case (9, .varint(let raw)): feedPosition = Int64(bitPattern: raw)
            default: continue
            }
        }
    }
}

extension WatchPlan {
    /// Whether the stream gets an event.
    ///
    /// Every event of the stream's users is asked for, so it reads the scope only if it must.
    func wants(_ event: StoredEvent, _ arena: Arena) throws(CodecError) -> Bool {
        guard wants(event.kind) else { return false }
        return readsItems ? try wantsItems(event, arena) : true
    }

    private func wantsItems(_ event: StoredEvent, _ arena: Arena) throws(CodecError) -> Bool {
        // The device that made the change knows it already.
        if event.kind == .subscriptionChanged, case .user = scope, !deviceID.isEmpty,
            deviceID.isExactly(event.deviceID)
        {
            return false
        }
        guard case .app(let clientApp?) = scope else { return true }
        return try event.record(arena).items.contains {
            $0.clientAppID.isExactly(clientApp.text)
        }
    }
}

/// One event as the store has it.
///
/// It is a value: an object for each event took an eighth of all the work of sending it.
struct StoredEvent: Sendable {
    let user: UserID
    /// Its sequence in the user's log; 0 if it is in no log.
    let sequence: Int64
    let position: Int64
    let kind: ChangeKind
    let deviceID: String
    private let content: Content

    private enum Content {
        /// The bytes of the log's row.
        case log([UInt8])
        /// The event, which is in the feed alone.
        indirect case feed(ChangeRecord)
    }

    private static let events = Coder(ChangeRecord.self)

    /// An event of `user`'s log.
    init(_ bytes: [UInt8], of user: UserID, sequence: Int64) throws(CodecError) {
        // Not `withUnsafeBytes`, which loses the error's type.
        let header = try bytes.withUnsafeBufferPointer { (bytes) throws(CodecError) in
            try StoredEventHeader(UnsafeRawBufferPointer(bytes))
        }
        self.user = user
        self.sequence = sequence
        position = header.feedPosition
        kind = header.kind
        deviceID = header.deviceID
        content = .log(bytes)
    }

    /// The event that is in the feed alone; nil if the feed names an event of a log.
    init?(feed entry: FeedEventRecord) {
        guard let record = entry.event else { return nil }
        user = UserID(stored: entry.userID)
        sequence = 0
        position = record.feedPosition
        kind = record.kind
        deviceID = record.deviceID
        content = .feed(record)
    }

    /// The event in a written row of a log.
    init(_ row: EventRow) throws(CodecError) {
        try self.init(row.value, of: row.key.owner.user, sequence: row.key.number)
    }

    /// The events in a written row of the feed that are in the feed alone.
    static func ofFeed(_ row: EventRow, _ arena: Arena) throws(CodecError) -> [StoredEvent] {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        return try feeds.message(row.value, arena).events.compactMap { StoredEvent(feed: $0) }
    }

    private static let feeds = Coder(FeedRecord.self)

    /// Its length in the store; 0 for an event that is in the feed alone, which is short.
    var byteCount: Int {
        if case .log(let bytes) = content { bytes.count } else { 0 }
    }

    /// Whether other users are notified too, with their view of the user.
    var reachesOthers: Bool { isOfProfile || kind == .statusChanged }

    /// Whether other users get it too, each of the part that it sees.
    var isOfProfile: Bool { WatchedEvents.reachOthers(kind) }

    func record(_ arena: Arena) throws(CodecError) -> ChangeRecord {
        switch content {
        case .feed(let record): return record
        case .log(let bytes):
            let mark = arena.mark()
            defer { arena.rewind(to: mark) }
            return try Self.events.message(bytes, arena)
        }
    }

    /// Returns the event as a stream with that view gets it.
    func bytes(_ view: ChangeView, _ arena: Arena) throws(CodecError) -> [UInt8] {
        let output = OutputBuffer(capacity: 512)
        try write(view, arena, to: output)
        return [UInt8](output.bytes)
    }

    /// Appends the event, as a stream with that view gets it, to `output`.
    func write(
        _ view: ChangeView, _ arena: Arena, to output: OutputBuffer
    ) throws(CodecError) {
        // This is correct, because the concatenation of two encodings is the encoding of their
        // merge.
        if case .log(let bytes) = content, view.passes(kind) {
            guard view.showsTexts(of: kind) else {
                output.append(bytes)
                return EventSuffix.append(user, sequence, to: output)
            }
            let mark = arena.mark()
            defer { arena.rewind(to: mark) }
            try bytes.withUnsafeBufferPointer { (bytes) throws(CodecError) in
                output.append(try view.shown(UnsafeRawBufferPointer(bytes), kind, arena))
            }
        } else {
            try EventSuffix.events.write(view.masked(record(arena)), arena, output)
        }
        EventSuffix.append(user, sequence, to: output)
    }
}
