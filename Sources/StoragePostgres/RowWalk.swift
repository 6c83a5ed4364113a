internal import Storage

/// One walk along a range of rows, which asks for more rows when those it has are used up.
///
/// All its statements belong to the transaction that is open on the connection.
final class RowWalk: ScannedRows {
    private let connection: DatabaseConnection
    private let order: ScanOrder
    /// The bytes that name the partition; 0 if the range lies in several.
    private let partitionCount: Int
    /// The bounds of the rows that were not asked for yet.
    private var lower: [UInt8]
    private var upper: [UInt8]
    /// The most rows that the walk still asks for.
    private var left: Int
    private var parameters = Parameters()
    private var chunk: Chunk?
    private var isEnded = false
    /// The key of the present row with its partition; the walk makes and frees it.
    private var key = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)

    /// The rows of one statement, and the one that the walk stands on.
    private final class Chunk {
        let result: StatementResult
        /// Whether there may be more rows after them.
        let isFull: Bool
        var index = 0

        init(_ result: consuming StatementResult, asked: Int) {
            isFull = result.count == asked
            self.result = result
        }
    }

    /// The rows that were asked for, whose answer was not taken yet.
    private var asked: Int?

    init(_ connection: DatabaseConnection, _ range: KeyRange, _ order: ScanOrder, limit: Int) {
        self.connection = connection
        self.order = order
        // The name of a partition ends with a zero; a range over several has none in its number.
        partitionCount = range.partitionCount > 4 ? range.partitionCount : 0
        lower = range.lower
        upper = range.upper
        left = limit
    }

    deinit {
        key.deallocate()
    }

    var row: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        get throws(StorageError) {
            while !isEnded {
                guard let chunk else {
                    try ask()
                    continue
                }
                guard chunk.index == chunk.result.count else { return present(chunk) }
                if chunk.isFull, left > 0 { try ask() } else { isEnded = true }
            }
            return nil
        }
    }

    func advance() {
        chunk?.index += 1
    }

    private func present(
        _ chunk: Chunk
    ) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let found = chunk.result.bytes(chunk.index, 0)
        let count = partitionCount + found.count
        if key.count < count {
            key.deallocate()
            key = .allocate(byteCount: 2 * count, alignment: 1)
        }
        lower.withUnsafeBytes { key.copyMemory(from: .init(rebasing: $0[..<partitionCount])) }
        UnsafeMutableRawBufferPointer(rebasing: key[partitionCount...]).copyMemory(from: found)
        return (UnsafeRawBufferPointer(rebasing: key[..<count]), chunk.result.bytes(chunk.index, 1))
    }

    /// Sends the question for the first rows, whose answer is taken later.
    func begin() throws(StorageError) {
        precondition(chunk == nil && asked == nil, "the walk has begun")
        asked = try send()
    }

    /// Takes the answer to ``begin()``.
    func receiveBegun() throws(StorageError) {
        guard asked != nil else { return }
        try ask()
    }

    /// Asks for the next rows, and waits for them.
    private func ask() throws(StorageError) {
        let count: Int
        if let asked {
            count = asked
        } else {
            count = try send()
        }
        asked = nil
        chunk = Chunk(try connection.result(), asked: count)
        left -= chunk?.result.count ?? 0
    }

    /// Sends the question for the next rows.
    ///
    /// - Returns: How many rows it asks for.
    private func send() throws(StorageError) -> Int {
        let most = chunk == nil ? Limits.firstRowsPerScan : Limits.rowsPerScan
        moveOn()
        let count = min(left, most)
        parameters.removeAll()
        if partitionCount > 0 {
            parameters.append(lower[..<partitionCount])
            parameters.append(lower[partitionCount...])
            parameters.append(upper[partitionCount...])
        } else {
            for bound in [lower, upper] {
                // A bound may be less than a partition.
                let end = bound.withUnsafeBytes { Partition.count(in: $0) }
                parameters.append(bound[..<end])
                parameters.append(bound[end...])
            }
        }
        parameters.append(Int64(count))
        try connection.send(statement, parameters)
        return count
    }

    private var statement: Statement {
        switch (order, partitionCount > 0) {
        case (.ascending, true): .ascending
        case (.descending, true): .descending
        case (.ascending, false): .ascendingAcross
        case (.descending, false): .descendingAcross
        }
    }

    /// Moves a bound to the last row that is there.
    private func moveOn() {
        guard let chunk, chunk.result.count > 0 else { return }
        let last = lower[..<partitionCount] + chunk.result.bytes(chunk.result.count - 1, 0)
        switch order {
        case .ascending: lower = last + [0]
        case .descending: upper = Array(last)
        }
    }
}
