package import RelationModel
package import Storage

/// Rules over the consumers of an app's changes: positions that the app's back ends keep by name.
///
/// A reader proves by its number that it holds a consumer. Each acquisition gives out a number
/// above all that the app gave out before, those of deleted consumers included. It is at least the
/// time in milliseconds, so that it is also above those of acquisitions that a restore to an
/// earlier moment has undone.
package enum Consumers {
    /// A position in the changes, with the history that it belongs to.
    package struct Position: Equatable, Sendable {
        package let position: Int64
        package let historyID: UInt64

        package init(_ position: Int64, in history: History) {
            self.position = position
            historyID = history.id
        }
    }

    /// The beginning of a consumer that is new, or is reset.
    package enum Start: Equatable, Sendable {
        case state
        case now
        case after(Position)
    }

    /// The wish to become the reader of a consumer.
    package struct Acquisition: Sendable {
        package let name: ConsumerName
        package var start = Start.state
        /// Whether a consumer that exists begins at ``start`` too.
        package var resets = false
        /// Whether the lease of the reader before does not matter.
        package var takesOver = false
        package var leaseMs = Limits.defaultConsumerLeaseMs

        package init(_ name: ConsumerName) {
            self.name = name
        }
    }

    /// The outcome of an attempt to read as a consumer.
    package enum Acquired: Equatable {
        case done(ConsumerRecord, FeedState)
        /// Another reader's lease is not over.
        case busy(ConsumerRecord)
        /// The app has as many consumers as it may have.
        case full
        /// The position is one of another history: it came from before a change of histories.
        case foreignPosition
    }

    /// Gives the consumer to a new reader, and makes it if there is none.
    ///
    /// - Returns: ``Acquired/done(_:_:)``, or the first of these that applies:
    ///   ``Acquired/foreignPosition``, ``Acquired/busy(_:)``, ``Acquired/full``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func acquire(
        _ wish: Acquisition, in ledger: Ledger
    ) throws(StorageError) -> Acquired {
        let (app, transaction, now) = (ledger.app, ledger.transaction, ledger.now.milliseconds)
        if case .after(let start) = wish.start, start.historyID != app.history.id {
            return .foreignPosition
        }
        let known = try record(of: wish.name, app: app, in: transaction)
        if let known, known.isHeld(at: now), !wish.takesOver { return .busy(known) }
        if known == nil, try isFull(ledger) { return .full }
        let feed = try Feed.state(of: app, in: transaction)
        var record = known ?? ConsumerRecord()
        if known == nil { record.createdMs = now }
        if known == nil || wish.resets { begin(&record, wish.start, feed, app.history) }
        var readers =
            try Tables.consumerReaders.record(app.consumers, OnlyKey(), in: transaction)
            ?? ConsumersRecord()
        readers.lastReader = max(readers.lastReader + 1, now)
        record.reader = readers.lastReader
        record.acquiredMs = now
        record.leaseMs = wish.leaseMs
        record.leaseEndMs = now + wish.leaseMs
        try Tables.consumers.set(record, at: app.consumers, wish.name, in: transaction)
        try Tables.consumerReaders.set(readers, at: app.consumers, OnlyKey(), in: transaction)
        return .done(record, feed)
    }

    private static func isFull(_ ledger: Ledger) throws(StorageError) -> Bool {
        let limit = ledger.limits.consumers
        var count = 0
        let rows = Tables.consumers.all(of: ledger.app.consumers)
        try Tables.consumers.scan(rows, limit: max(1, limit), in: ledger.transaction) { _, _ in
            count += 1
            return .more
        }
        return count >= limit
    }

    /// A message of the present reader about a consumer.
    package struct Acknowledgement: Sendable {
        package let claim: ConsumerClaim
        /// The position up to which the reader is done; nil if it says nothing about that.
        package var position: Position?
        /// Whether the lease ends now.
        package var releases = false

        package init(_ claim: ConsumerClaim) {
            self.claim = claim
        }
    }

    /// The outcome of an attempt to move the position of a consumer.
    package enum Acknowledged: Equatable {
        case done(ConsumerRecord, changed: Bool)
        /// Another reader has the consumer; 0 if there is no such consumer.
        case fenced(present: Int64)
        /// The position is one of another history.
        case foreignPosition
    }

    /// Moves the position of a consumer ahead, and renews the lease of its reader.
    ///
    /// A position before the stored one changes nothing.
    ///
    /// - Returns: ``Acknowledged/done(_:changed:)``, or the first of these that applies:
    ///   ``Acknowledged/foreignPosition``, ``Acknowledged/fenced(present:)``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func acknowledge(
        _ news: Acknowledgement, in ledger: Ledger
    ) throws(StorageError) -> Acknowledged {
        let (app, now) = (ledger.app, ledger.now.milliseconds)
        if let position = news.position, position.historyID != app.history.id {
            return .foreignPosition
        }
        let name = news.claim.name
        let known = try record(of: name, app: app, in: ledger.transaction)
        guard let known, known.reader == news.claim.reader else {
            return .fenced(present: known?.reader ?? 0)
        }
        var record = known
        if let position = news.position {
            if let stored = known.position(in: app.history), stored > position.position {
                return .done(known, changed: false)
            }
            record.position = position.position
            record.historyID = position.historyID
            record.beginsWithState = false
            record.acknowledgedMs = max(known.acknowledgedMs, now)
        }
        // An end that another clock wrote is none to keep.
        let least = known.isHeld(at: now) ? known.leaseEndMs : 0
        record.leaseEndMs =
            news.releases ? min(known.leaseEndMs, now) : max(least, now + known.leaseMs)
        let changed = record != known
        if changed {
            try Tables.consumers.set(record, at: app.consumers, name, in: ledger.transaction)
        }
        return .done(record, changed: changed)
    }

    /// Deletes a consumer.
    ///
    /// - Returns: Whether there was one of that name.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func delete(
        _ name: ConsumerName, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let consumers = ledger.app.consumers
        guard try Tables.consumers.contains(consumers, name, in: ledger.transaction) else {
            return false
        }
        Tables.consumers.remove(consumers, name, in: ledger.transaction)
        return true
    }

    // MARK: Reading

    package static func record(
        of name: ConsumerName, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> ConsumerRecord? {
        try Tables.consumers.record(app.consumers, name, in: transaction)
    }

    /// The numbers of the present readers of consumers of any apps; 0 for one that does not exist.
    package static func readers(
        of names: [(app: UInt32, name: ConsumerName)], in transaction: any ReadTransaction
    ) throws(StorageError) -> [Int64] {
        var keys = KeyList()
        for (app, name) in names {
            Tables.consumers.add(App.consumers(of: app), name, to: &keys)
        }
        return try Tables.consumers.records(keys, in: transaction).map { $0?.reader ?? 0 }
    }

    /// The consumers of `app`, in the order of the bytes of their names.
    package static func list(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(name: ConsumerName, record: ConsumerRecord)] {
        var rows: [(name: ConsumerName, record: ConsumerRecord)] = []
        var isBroken = false
        try Tables.consumers.scan(
            Tables.consumers.all(of: app.consumers), limit: Limits.consumers, in: transaction
        ) { name, bytes in
            guard let record = Tables.consumers.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            rows.append((name, record))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a consumer's row does not decode") }
        return rows
    }

    /// Adds the rows that acquiring a consumer reads.
    package static func keysForAcquiring(
        _ name: ConsumerName, of app: App, into keys: inout KeyList
    ) {
        self.keys(of: name, app: app, into: &keys)
        Tables.consumerReaders.add(app.consumers, OnlyKey(), to: &keys)
        Feed.addState(of: app, to: &keys)
    }

    /// Adds the one row that acknowledging and deleting read.
    package static func keys(of name: ConsumerName, app: App, into keys: inout KeyList) {
        Tables.consumers.add(app.consumers, name, to: &keys)
    }

    /// Lets a consumer start over.
    private static func begin(
        _ record: inout ConsumerRecord, _ start: Start, _ feed: FeedState, _ history: History
    ) {
        record.acknowledgedMs = 0
        record.beginsWithState = start == .state
        record.historyID = history.id
        record.position =
            switch start {
            case .state: 0
            case .now: feed.position
            case .after(let start): start.position
            }
    }
}

/// A consumer and the number by which a reader says that it holds it.
package struct ConsumerClaim: Hashable, Sendable {
    package let name: ConsumerName
    package let reader: Int64

    package init(_ name: ConsumerName, reader: Int64) {
        self.name = name
        self.reader = reader
    }
}

extension App {
    /// The rows of the app's consumers.
    package var consumers: Partition { Self.consumers(of: id) }

    static func consumers(of app: UInt32) -> Partition { Partition(app: app, name: [0x27]) }
}

extension ConsumerName: RowKey {
    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return nil }
        self.init(stored: String(decoding: bytes, as: UTF8.self))
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text.utf8)
    }

    package func write(to writer: inout KeyWriter) {
        writer.append(text)
    }
}
