package import Protobuf
package import Storage

/// A view of the database at one moment, on a connection that no other has meanwhile.
///
/// The moment is that of the first statement. A transaction that reads nothing takes no connection.
package final class PostgresReadTransaction: ReadTransaction {
    package let arena = Arena(capacity: Limits.transactionArenaBytes)
    private let source: any ConnectionSource
    private var taken: DatabaseConnection?
    /// Whether the database has answered: from then on there is a view, which cannot begin anew.
    private var hasView = false
    private var parameters = Parameters()
    private var isInBody = false
    /// The rows of the keys that were asked for, by the keys' places.
    private var places: [Int32] = []

    /// - Parameter source: Lends connections to the transaction, whose owner gives them back.
    init(_ source: any ConnectionSource) {
        self.source = source
    }

    deinit {
        arena.free()
    }

    package func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        enterBody()
        defer { isInBody = false }
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
                try connection.answer(part, &places, body)
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
        var walk: RowWalk?
        try asking { (connection) throws(StorageError) in
            let begun = RowWalk(connection, range, order, limit: limit)
            // Asks for the first rows.
            _ = try begun.row
            walk = begun
        }
        while let walk, let row = try walk.row {
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
                if taken == nil { taken = try source.take() }
                guard let taken else { preconditionFailure("a source lent no connection") }
                try question(taken)
                hasView = true
                return
            } catch {
                guard !hasView, error.code == .unavailable, source.lendsAgain else { throw error }
                var left = pauses ?? Pauses(source.patience)
                guard left.pause() else { throw error }
                pauses = left
                if let broken = taken {
                    source.giveBack(broken)
                    taken = nil
                }
            }
        }
    }

    /// The connection that it has, for its owner to give back.
    func end() {
        guard let taken else { return }
        taken.end()
        source.giveBack(taken)
        self.taken = nil
    }

    private func enterBody() {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        isInBody = true
    }
}

/// Lends connections to read transactions.
protocol ConnectionSource: AnyObject {
    /// How long a transaction looks for a connection that works, in milliseconds.
    var patience: Int { get }
    /// Whether it has another connection when one has broken.
    var lendsAgain: Bool { get }

    func take() throws(StorageError) -> DatabaseConnection

    func giveBack(_ connection: DatabaseConnection)
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
    /// - Parameter places: Memory that is used again.
    func answer(
        _ range: Range<Int>, _ places: inout [Int32],
        _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        let rows = try result()
        // The place of each key's row in the result; the database counts keys from one.
        places.removeAll(keepingCapacity: true)
        places.append(contentsOf: repeatElement(-1, count: range.count))
        for row in 0..<rows.count { places[Int(rows.number(row, 0)) - 1] = Int32(row) }
        for (place, index) in zip(places, range) {
            body(index, place < 0 ? nil : rows.bytes(Int(place), 1))
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
