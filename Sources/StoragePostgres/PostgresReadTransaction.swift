import Protobuf
package import Storage

/// A view of the database by one snapshot, on a connection that no other has meanwhile.
///
/// The first statement takes the snapshot. A transaction that reads nothing takes no connection.
package final class PostgresReadTransaction: ReadTransaction {
    package let arena = TransactionArenas.acquire()
    private let source: any ConnectionSource
    private var taken: DatabaseConnection?
    /// Whether the database has answered: from then on there is a view, which cannot begin anew.
    private var hasView = false
    private var parameters = Parameters()
    private var isInBody = false
    /// The rows that were expected, once the first question has asked for them.
    private var known = Overlay()
    /// The entries of expected keys that were not asked for yet.
    private var expected: [Int] = []
    private var expectsKeys = false
    /// The scan that is expected.
    private var scan: Scan?
    private var wanted: [Int] = []

    private struct Scan {
        let range: KeyRange
        let order: ScanOrder
        let limit: Int
        /// Nil until its first rows were asked for.
        var walk: RowWalk?

        func isOf(_ range: KeyRange, _ order: ScanOrder, _ limit: Int) -> Bool {
            self.order == order && self.limit == limit && self.range.lower == range.lower
                && self.range.upper == range.upper
        }
    }
    /// The rows of the keys that were asked for, by the keys' indices.
    private var rowNumbers: [Int32] = []

    /// - Parameter source: Lends connections to the transaction, whose owner gives them back.
    init(_ source: any ConnectionSource) {
        self.source = source
    }

    deinit {
        TransactionArenas.release(arena)
    }

    package var readsAhead: Bool { true }

    package func expect(_ keys: KeyList) {
        expectsKeys = true
        want(keys)
        expected += wanted
    }

    package func expect(_ range: KeyRange, _ order: ScanOrder, limit: Int) {
        scan = Scan(range: range, order: order, limit: limit)
    }

    /// Makes the entries of `keys`, in `wanted`.
    private func want(_ keys: KeyList) {
        wanted.removeAll(keepingCapacity: true)
        keys.bytes.withUnsafeBytes { bytes in
            for index in 0..<keys.count {
                wanted.append(known.entry(of: .init(rebasing: bytes[keys.range(at: index)])))
            }
        }
    }

    package func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        enterBody()
        defer { isInBody = false }
        guard expectsKeys || scan != nil else { return try readOnce(keys, body) }
        want(keys)
        let asked = wanted
        try fetch(asked + expected)
        expected = []
        for (index, entry) in asked.enumerated() {
            switch known.entries[entry].now {
            case .present(let value): body(index, value)
            case .absent: body(index, nil)
            case .unknown: preconditionFailure("a key was not read")
            }
        }
    }

    /// Reads the entries that are not known yet, and the first rows of the scan that is expected.
    private func fetch(_ entries: [Int]) throws(StorageError) {
        var seen: Set<Int> = []
        let missing = entries.filter { entry in
            guard case .unknown = known.entries[entry].now else { return false }
            return seen.insert(entry).inserted
        }
        var first = 0
        while first < missing.count {
            let part = first..<min(first + Limits.keysPerRead, missing.count)
            try asking { (connection) throws(StorageError) in
                try connection.ask(part, &parameters) { known.entries[missing[$0]].key }
                let walk = try beginScan(on: connection)
                try connection.answer(part, &rowNumbers) { known.load(missing[$0], $1) }
                try walk?.receiveBegun()
            }
            first = part.upperBound
        }
    }

    private func beginScan(on connection: DatabaseConnection) throws(StorageError) -> RowWalk? {
        guard let scan, scan.walk == nil || !hasView else { return nil }
        let walk = RowWalk(connection, scan.range, scan.order, limit: scan.limit)
        try walk.begin()
        self.scan?.walk = walk
        return walk
    }

    /// Reads rows that were not expected.
    private func readOnce(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        var first = 0
        while first < keys.count {
            let part = first..<min(first + Limits.keysPerRead, keys.count)
            try asking { (connection) throws(StorageError) in
                // A buffer's way of lending its bytes passes typed errors on.
                try keys.bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
                    try connection.ask(part, &parameters) { index in
                        UnsafeRawBufferPointer(bytes.extracting(keys.range(at: index)))
                    }
                }
                try connection.answer(part, &rowNumbers, body)
            }
            first = part.upperBound
        }
    }

    package func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        guard limit > 0, range.lower.lexicographicallyPrecedes(range.upper) else { return }
        enterBody()
        defer { isInBody = false }
        if let scan, scan.isOf(range, order, limit), let walk = scan.walk {
            self.scan = nil
            return try show(walk, body)
        }
        var walk: RowWalk?
        try asking { (connection) throws(StorageError) in
            let begun = RowWalk(connection, range, order, limit: limit)
            // Asks for the first rows.
            _ = try begun.row
            walk = begun
        }
        if let walk { try show(walk, body) }
    }

    private func show(
        _ walk: RowWalk,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        while let row = try walk.row {
            if body(row.key, row.value) == .stop { return }
            walk.advance()
        }
    }

    /// Asks the database for something.
    ///
    /// If it ends the connection before its first answer of the transaction, another connection is
    /// asked, as long as the source's patience lasts: nothing was seen yet.
    private func asking(
        _ question: (DatabaseConnection) throws(StorageError) -> Void
    ) throws(StorageError) {
        var pauses: Pauses?
        while true {
            do throws(StorageError) {
                if taken == nil { taken = try source.acquire() }
                guard let taken else { preconditionFailure("a source lent no connection") }
                try question(taken)
                hasView = true
                return
            } catch {
                guard !hasView, error.code == .unavailable, source.lendsAgain else { throw error }
                var left = pauses ?? Pauses(source.patience, source.shutdown)
                guard left.pause() else { throw error }
                pauses = left
                if let broken = taken {
                    source.release(broken)
                    taken = nil
                }
            }
        }
    }

    /// The connection that it has, for its owner to give back.
    func end() {
        guard let taken else { return }
        taken.end()
        source.release(taken)
        self.taken = nil
    }

    private func enterBody() {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        isInBody = true
    }
}

/// Lends connections to read transactions.
protocol ConnectionSource: AnyObject {
    /// How long a transaction searches for a connection that works, in milliseconds.
    var patience: Int { get }
    /// Whether it has another connection when one has broken.
    var lendsAgain: Bool { get }
    /// Whether the process ends; nil if it does not matter.
    var shutdown: Shutdown? { get }

    func acquire() throws(StorageError) -> DatabaseConnection

    func release(_ connection: DatabaseConnection)
}

extension ConnectionSource {
    var shutdown: Shutdown? { nil }
}

extension DatabaseConnection {
    /// Sends the question for the rows of the keys in `range`.
    ///
    /// - Parameter parameters: Memory that is used again.
    func ask(
        _ range: Range<Int>, _ parameters: inout Parameters,
        key: (Int) -> UnsafeRawBufferPointer
    ) throws(StorageError) {
        precondition(range.count <= Limits.keysPerRead, "more keys than one statement takes")
        parameters.removeAll()
        parameters.append(keys: range, key)
        try send(.rows, parameters)
    }

    /// Calls `body` with the rows of the keys that were asked for, in the order of the keys.
    ///
    /// - Parameter rowNumbers: Memory that is used again.
    func answer(
        _ range: Range<Int>, _ rowNumbers: inout [Int32],
        _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        let rows = try result()
        // The index of each key's row in the result; the database counts keys from one.
        rowNumbers.removeAll(keepingCapacity: true)
        rowNumbers.append(contentsOf: repeatElement(-1, count: range.count))
        for found in 0..<rows.count { rowNumbers[Int(rows.number(found, 0)) - 1] = Int32(found) }
        for (row, index) in zip(rowNumbers, range) {
            body(index, row < 0 ? nil : rows.bytes(Int(row), 1))
        }
    }
}

extension Parameters {
    /// Adds two arrays: the partitions of the keys at `indices`, and what follows them in each key.
    mutating func append(
        keys indices: some Collection<Int>, _ key: (Int) -> UnsafeRawBufferPointer
    ) {
        appendArray { array in
            for index in indices {
                let key = key(index)
                array.addElement(.init(rebasing: key[..<Partition.count(in: key)]))
            }
        }
        appendArray { array in
            for index in indices {
                let key = key(index)
                array.addElement(.init(rebasing: key[Partition.count(in: key)...]))
            }
        }
    }
}
