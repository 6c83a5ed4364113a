package import Memory
import Protobuf
package import Storage

/// The view of a writer: the newest rows of the database under an ``Overlay`` of its own changes.
///
/// It first takes the locks of its partitions. So what it reads of them stays as it is until it
/// ends. Nothing is changed in the database before ``commit()``, which sends all changes
/// and the end of the transaction at once.
package final class PostgresWriteTransaction: WriteTransaction {
    /// The failure of a statement, after which the transaction can only be run again.
    struct Failure {
        let error: StorageError
        /// Whether the same transaction may succeed when it is run again.
        let passes: Bool
    }

    package let arena = TransactionArenas.acquire()
    package let scratch = OutputBuffer(capacity: Limits.scratchBytes)

    private let writer: Writer
    private let partitions: [Partition]
    private let waits: Bool
    /// The lease within which it has to be committed; 0 if it needs none.
    private let tenure: Int64
    /// When the answers have to be there.
    private let latest: Int
    /// Nil until the database is first asked for something.
    private var connection: DatabaseConnection?
    /// The statements at the beginning whose results were not taken yet.
    private var owed: [Statement] = []
    private var overlay = Overlay()
    private var parameters = Parameters()
    /// The entries of the keys being read, and those among them that the database is asked for.
    private var wanted: [Int] = []
    private var missing: [Int] = []
    private var rowNumbers: [Int32] = []
    private var isInBody = false
    private(set) var failure: Failure?
    package private(set) var hasWaited = false
    package private(set) var refused: [Int] = []

    /// - Parameter waits: Whether it waits for locks that another transaction has.
    init(
        _ writer: Writer, _ partitions: [Partition], waits: Bool, within tenure: Int64,
        until latest: Int
    ) {
        self.writer = writer
        self.partitions = partitions
        self.waits = waits
        self.tenure = tenure
        self.latest = latest
    }

    deinit {
        TransactionArenas.release(arena)
    }

    // MARK: Reads

    package func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        wanted.removeAll(keepingCapacity: true)
        want(keys)
        try fetchMissing()
        isInBody = true
        defer { isInBody = false }
        for (index, entry) in wanted.enumerated() {
            switch overlay.entries[entry].now {
            case .present(let value): body(index, value)
            case .absent: body(index, nil)
            case .unknown: preconditionFailure("a key was not read")
            }
        }
    }

    package func prefetch(_ keys: KeyList) throws(StorageError) { try prefetch([keys]) }

    package func prefetch(_ lists: [KeyList]) throws(StorageError) {
        wanted.removeAll(keepingCapacity: true)
        for keys in lists { want(keys) }
        try fetchMissing()
    }

    package func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        guard limit > 0, range.lower.lexicographicallyPrecedes(range.upper) else { return }
        isInBody = true
        defer { isInBody = false }
        try noting { () throws(StorageError) in
            let connection = try begun()
            try receiveOwed(connection)
            // A change may hide a row, so more than `limit` of them may be needed.
            let walk = RowWalk(connection, range, order, limit: .max)
            let changed = overlay.changed(in: range)
            try overlay.merge(walk, changed, order, limit: limit, body)
        }
    }

    /// Adds the entries of `keys` to `wanted`, and those that are not known to `missing`.
    private func want(_ keys: KeyList) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        keys.bytes.withUnsafeBytes { bytes in
            for index in 0..<keys.count {
                let key = UnsafeRawBufferPointer(rebasing: bytes[keys.range(at: index)])
                let entry = overlay.entry(of: key)
                wanted.append(entry)
                if case .unknown = overlay.entries[entry].now { missing.append(entry) }
            }
        }
    }

    private func fetchMissing() throws(StorageError) {
        defer { missing.removeAll(keepingCapacity: true) }
        guard !missing.isEmpty else { return }
        try noting { () throws(StorageError) in
            let connection = try begun()
            var first = 0
            while first < missing.count {
                let part = first..<min(first + Limits.keysPerRead, missing.count)
                try connection.ask(part, &parameters) { index in
                    overlay.entries[missing[index]].key
                }
                try receiveOwed(connection)
                try connection.answer(part, &rowNumbers) { index, value in
                    overlay.load(missing[index], value)
                }
                first = part.upperBound
            }
        }
    }

    package func lock(_ partitions: [Partition]) throws(StorageError) {
        try noting { () throws(StorageError) in
            let connection = try begun()
            parameters.removeAll()
            parameters.append(partitions.map { Lock.number(of: $0.bytes) }.sorted())
            try connection.send(.lock, parameters)
            owed.append(.lock)
            try receiveOwed(connection)
        }
    }

    // MARK: Changes

    package func set(_ key: KeyView, to value: UnsafeRawBufferPointer) {
        change(key.bytes, to: value)
    }

    package func remove(_ key: KeyView) {
        change(key.bytes, to: nil)
    }

    package func set(_ key: Key, to value: [UInt8]) {
        key.bytes.withUnsafeBytes { bytes in
            value.withUnsafeBytes { change(bytes, to: $0) }
        }
    }

    package func remove(_ key: Key) {
        key.bytes.withUnsafeBytes { change($0, to: nil) }
    }

    private func change(_ key: UnsafeRawBufferPointer, to value: UnsafeRawBufferPointer?) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        overlay.change(overlay.entry(of: key), to: value)
    }

    package func savepoint() -> Savepoint { Savepoint(changes: overlay.changeCount) }

    package func rollback(to savepoint: Savepoint) { overlay.undo(to: savepoint.changes) }

    package func checkInvariants() { overlay.checkInvariants() }

    // MARK: Beginning and end

    /// The connection, on which the transaction has begun.
    ///
    /// The statements of the beginning go out with the first question, in one round trip: the
    /// database answers them in their order.
    private func begun() throws(StorageError) -> DatabaseConnection {
        if let connection { return connection }
        let connection = try writer.connected(until: latest)
        self.connection = connection
        if connection.isIdleBounded {
            connection.syncsQuestions = true
            try connection.send(.begin)
            owed = [.begin]
        }
        var locks = partitions.map { Lock.number(of: $0.bytes) }
        locks.append(Lock.number(of: writer.id))
        // Every writer takes them in the same order, so that none waits for one that waits for it.
        locks.sort()
        if partitions.isEmpty {
            try connection.send(.wait)
            try connection.send(.lockAll)
            owed += [.wait, .lockAll]
            locks = [Lock.number(of: writer.id)]
        } else if !waits {
            parameters.removeAll()
            parameters.append(partitions.map { Lock.number(of: $0.bytes) })
            try connection.send(.tryLock, parameters)
            owed.append(.tryLock)
            locks = [Lock.number(of: writer.id)]
        }
        parameters.removeAll()
        parameters.append(locks)
        try connection.send(.lock, parameters)
        owed.append(.lock)
        return connection
    }

    private func receiveOwed(_ connection: DatabaseConnection) throws(StorageError) {
        for statement in owed {
            let result = try connection.result()
            switch statement {
            case .lock where result.number(0, 0) > 0: hasWaited = true
            case .tryLock: refused = (0..<result.count).map { Int(result.number($0, 0)) - 1 }
            default: break
            }
        }
        owed = []
    }

    /// Sends all changes and the end, and waits until they are durable.
    func commit() throws(StorageError) {
        if let failure { throw failure.error }
        var isCommitting = false
        do throws(StorageError) {
            guard try sendChanges() else { return }
            isCommitting = true
            try finish()
            writer.committed()
        } catch {
            guard let connection else { throw noted(error) }
            guard isCommitting, connection.isBroken, !connection.hasRefused else {
                throw noted(error)
            }
            guard try writer.settle() else { throw noted(error) }
            writer.committed()
        }
    }

    /// - Returns: Whether there is any change.
    private func sendChanges() throws(StorageError) -> Bool {
        overlay.sort()
        let changed = overlay.changed.map(Int.init).filter { overlay.entries[$0].isToWrite }
        // A write that changes nothing is answered too.
        guard tenure == 0 || writer.hasLease else {
            throw StorageError(.unavailable, "the lease has run out before the commit")
        }
        guard !changed.isEmpty else { return false }
        let connection = try begun()
        var bytes = 0
        for entry in changed {
            bytes += overlay.entries[entry].key.count
            if case .present(let value) = overlay.entries[entry].now { bytes += value.count }
        }
        guard bytes <= Limits.batchBytes else {
            throw StorageError(
                .failed, "one transaction writes more than \(Limits.batchBytes) bytes")
        }
        try send(.set, changed.filter { overlay.entries[$0].isPresent }, on: connection)
        try send(.remove, changed.filter { !overlay.entries[$0].isPresent }, on: connection)
        parameters.removeAll()
        parameters.append(writer.id)
        parameters.append(writer.nextBatch())
        parameters.append(tenure)
        parameters.append(writer.processID.utf8)
        try connection.send(.note, parameters)
        owed.append(.note)
        if connection.syncsQuestions {
            parameters.removeAll()
            try connection.send(.commit, parameters)
            owed.append(.commit)
        }
        connection.sync()
        return true
    }

    private func send(
        _ statement: Statement, _ entries: [Int], on connection: DatabaseConnection
    ) throws(StorageError) {
        var rest = entries[...]
        while !rest.isEmpty {
            let part = rest.prefix(Limits.rowsPerStatement)
            rest = rest.dropFirst(part.count)
            parameters.removeAll()
            parameters.append(keys: part) { overlay.entries[$0].key }
            if statement == .set {
                parameters.appendArray { array in
                    for entry in part {
                        guard case .present(let value) = overlay.entries[entry].now else {
                            preconditionFailure("a row that is removed has no value")
                        }
                        array.addElement(value)
                    }
                }
            }
            try connection.send(statement, parameters)
            owed.append(statement)
        }
    }

    private func finish() throws(StorageError) {
        guard let connection else { preconditionFailure("nothing was sent") }
        connection.latest = max(
            latest, DatabaseConnection.milliseconds() + Limits.leastEndMilliseconds)
        try receiveOwed(connection)
        try connection.receiveEnd()
        connection.syncsQuestions = false
        // Not inside the transaction: there it would make all commits of the database wait.
        if writer.hasPeers { connection.end(.notify) }
        self.connection = nil
    }

    /// Ends the transaction, if it was not committed.
    func end() {
        guard let connection else { return }
        // Changes are sent with the end only, so there is nothing to undo in the database.
        connection.end(connection.syncsQuestions ? .rollback : nil)
        connection.syncsQuestions = false
        self.connection = nil
    }

    /// Notes a failure of the database, after which nothing more can be asked.
    private func noting(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        if let failure { throw failure.error }
        do throws(StorageError) {
            try body()
        } catch {
            throw noted(error)
        }
    }

    private func noted(_ error: StorageError) -> StorageError {
        if failure == nil {
            failure = Failure(
                error: error, passes: error.code == .conflict || error.code == .unavailable)
        }
        return error
    }
}
