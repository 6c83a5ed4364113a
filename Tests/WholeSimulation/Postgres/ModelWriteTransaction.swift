import Memory
import Storage
import StoragePostgres

/// The newest rows of a modelled database under the changes of one writer.
///
/// It takes the locks of its partitions with its first question, and sends all changes with its
/// end.
final class ModelWriteTransaction: WriteTransaction {
    let arena = Arena(capacity: ModelLimits.arenaBytes)
    private let writer: ModelWriter
    private let partitions: [Partition]
    private let waits: Bool
    private let tenure: Int64
    private let latest: UInt64
    private var connection: ModelConnection?
    /// The locks that the first question takes.
    private var owed: [ModelQuestion] = []
    /// The rows that were read, and their changes.
    private var known: [[UInt8]: [UInt8]?] = [:]
    private var changes: [[UInt8]: [UInt8]?] = [:]
    /// The values in `changes` before each change; nil for none.
    private var undo: [(key: [UInt8], value: [UInt8]??)] = []
    private var isInBody = false
    /// The failure of a statement, after which the transaction can only be run again.
    private(set) var failure: StorageError?
    private(set) var hasWaited = false
    private(set) var refused: [Int] = []

    init(
        _ writer: ModelWriter, _ partitions: [Partition], waits: Bool, within tenure: Int64,
        until latest: UInt64
    ) {
        (self.writer, self.partitions, self.waits) = (writer, partitions, waits)
        (self.tenure, self.latest) = (tenure, latest)
    }

    deinit { arena.free() }

    /// Whether it may succeed when it is run again.
    var failurePasses: Bool { failure?.code == .conflict || failure?.code == .unavailable }

    private func ask(
        _ questions: [ModelQuestion], ends: Bool = false
    ) throws(StorageError) -> [ModelAnswer] {
        if let failure { throw failure }
        do throws(StorageError) {
            let connection = try begun()
            let beginning = owed
            let answers = try connection.ask(beginning + questions, ends: ends)
            owed = []
            for (question, answer) in zip(beginning, answers) {
                switch question {
                case .tryLock: refused = answer.numbers.map(Int.init)
                case .lock: if answer.numbers[0] > 0 { hasWaited = true }
                default: break
                }
            }
            return Array(answers.dropFirst(beginning.count))
        } catch {
            throw noted(error)
        }
    }

    private func noted(_ error: StorageError) -> StorageError {
        if failure == nil { failure = error }
        return error
    }

    private func begun() throws(StorageError) -> ModelConnection {
        if let connection { return connection }
        let connection = try writer.connected(until: latest)
        self.connection = connection
        let own = Lock.number(of: writer.id)
        let locks = partitions.map { Lock.number(of: $0.bytes) }
        if partitions.isEmpty {
            owed = [.lockAll, .lock([own])]
        } else if waits {
            owed = [.lock((locks + [own]).sorted())]
        } else {
            owed = [.tryLock(locks), .lock([own])]
        }
        return connection
    }

    // MARK: Reads

    func prefetch(_ keys: KeyList) throws(StorageError) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        let missing = (0..<keys.count).map { keys[$0].bytes }.filter {
            changes[$0] == nil && known[$0] == nil
        }
        guard !missing.isEmpty else { return }
        guard case .values(let values)? = try ask([.rows(missing)]).first else {
            preconditionFailure("another answer")
        }
        for (key, value) in zip(missing, values) { known.updateValue(value, forKey: key) }
    }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try prefetch(keys)
        isInBody = true
        defer { isInBody = false }
        for index in 0..<keys.count {
            let key = keys[index].bytes
            guard let value = (changes[key] ?? known[key]) ?? nil else {
                body(index, nil)
                continue
            }
            value.withUnsafeBytes { body(index, $0) }
        }
    }

    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        guard limit > 0, range.lower.lexicographicallyPrecedes(range.upper) else { return }
        let question = ModelQuestion.scan(
            lower: range.lower, upper: range.upper, .ascending, limit: .max)
        guard case .rows(let found)? = try ask([question]).first else {
            preconditionFailure("another answer")
        }
        var rows = MemoryRows()
        for row in found { rows.set(row.key, to: row.value) }
        for (key, value) in changes { rows.set(key, to: value) }
        let slice = Array(rows.slice(from: range.lower, to: range.upper))
        isInBody = true
        defer { isInBody = false }
        for row in (order == .ascending ? slice : slice.reversed()).prefix(limit) {
            let step = row.key.withUnsafeBytes { key in
                row.value.withUnsafeBytes { value in body(key, value) }
            }
            if step == .stop { return }
        }
    }

    func lock(_ partitions: [Partition]) throws(StorageError) {
        let locks = partitions.map { Lock.number(of: $0.bytes) }.sorted()
        let answers = try ask([.lock(locks)])
        if answers[0].numbers[0] > 0 { hasWaited = true }
    }

    // MARK: Changes

    func set(_ key: Key, to value: [UInt8]) { change(key.bytes, to: value) }

    func remove(_ key: Key) { change(key.bytes, to: nil) }

    private func change(_ key: [UInt8], to value: [UInt8]?) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        undo.append((key, changes[key]))
        changes.updateValue(value, forKey: key)
    }

    func savepoint() -> Savepoint { Savepoint(changes: undo.count) }

    func rollback(to savepoint: Savepoint) {
        precondition(savepoint.changes <= undo.count, "the savepoint was rolled back already")
        while undo.count > savepoint.changes {
            let last = undo.removeLast()
            if let value = last.value {
                changes.updateValue(value, forKey: last.key)
            } else {
                changes[last.key] = nil
            }
        }
    }

    // MARK: The end

    /// Sends all changes and the end, and waits until they are durable.
    func commit() throws(StorageError) {
        if let failure { throw failure }
        // A write that changes nothing is answered too.
        guard tenure == 0 || writer.hasLease else {
            throw noted(StorageError(.unavailable, "the lease has run out before the commit"))
        }
        let rows = changes.filter { known[$0.key] == nil || known[$0.key] != $0.value }
            .map { ModelChange.Row(key: $0.key, value: $0.value) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        guard !rows.isEmpty else { return }
        do throws(StorageError) {
            try begun().latest = writer.leastEnd(latest)
        } catch {
            throw noted(error)
        }
        let note = writer.nextNote(within: tenure)
        do throws(StorageError) {
            _ = try ask([.change(rows), note], ends: true)
        } catch {
            guard let connection, connection.isBroken, !connection.hasRefused else { throw error }
            guard try writer.settle() else { throw error }
            return writer.committed()
        }
        writer.committed()
        if let connection, writer.hasPeers { connection.send([.notify(.feed)]) }
        connection = nil
    }

    /// Ends the transaction, if it was not committed.
    func end() {
        connection?.end()
        connection = nil
    }
}
