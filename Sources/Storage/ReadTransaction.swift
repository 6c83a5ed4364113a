public import Memory
import Protobuf

/// One consistent view of the store.
///
/// - Important: It is valid only inside the closure that received it.
@usableFromInline package protocol ReadTransaction: AnyObject {
    /// The memory in which records are decoded, for the thread that runs this transaction.
    var arena: Arena { get }

    /// Whether each question to the store is a round trip, so that callers say ahead what they will
    /// read.
    var readsAhead: Bool { get }

    /// Says which keys will be read, so that the next question asks for them too.
    ///
    /// No answer changes by it, and a key need not be read then.
    func expect(_ keys: KeyList)

    /// Says which scan will be made, so that the next question asks for its first rows too.
    func expect(_ range: KeyRange, _ order: ScanOrder, limit: Int)

    /// Reads the row of one key.
    ///
    /// - Important: The bytes are valid only during the call of `body`, which must not use the
    ///   transaction.
    func read(_ key: KeyView, _ body: (UnsafeRawBufferPointer?) -> Void) throws(StorageError)

    /// Reads all `keys` at once, and calls `body` for each of them, in their order.
    ///
    /// `body` gets the index of the key and its value, or nil if there is none.
    ///
    /// - Important: The bytes are valid only during that call of `body`.
    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError)

    /// Calls `body` for each key, where the keys are views of a call's memory.
    func read(
        _ keys: StagedKeys, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError)

    /// Says for each key whether it has a row, for reads that need no more.
    ///
    /// - Parameter areThere: Room for as many answers as there are keys, which is filled in their
    ///   order.
    func find(
        _ keys: StagedKeys, _ areThere: UnsafeMutablePointer<Bool>
    ) throws(StorageError)

    /// Calls `body` with the keys and values of `range`, in the order asked for.
    ///
    /// It ends when `body` answers ``ScanStep/stop``, or after `limit` rows.
    ///
    /// - Important: The bytes are valid only during that call of `body`, which must not use the
    ///   transaction.
    func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError)

    /// Calls `body` with all rows of `range`, for a caller that keeps what they say.
    ///
    /// An engine that keeps rows in memory need not keep these.
    ///
    /// - Important: The bytes are valid only during that call of `body`, which must not use the
    ///   transaction.
    func scanOnce(
        _ range: KeyRange,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError)
}

extension ReadTransaction {
    package var readsAhead: Bool { false }

    package func expect(_ keys: KeyList) {}

    package func expect(_ range: KeyRange, _ order: ScanOrder, limit: Int) {}

    package func scanOnce(
        _ range: KeyRange,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try scan(range, .ascending, limit: .max, body)
    }

    package func read(
        _ key: KeyView, _ body: (UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try read(KeyList([key.key])) { _, bytes in body(bytes) }
    }

    package func read(
        _ keys: StagedKeys, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try read(keys.list, body)
    }

    package func find(
        _ keys: StagedKeys, _ areThere: UnsafeMutablePointer<Bool>
    ) throws(StorageError) {
        try read(keys) { index, row in (areThere + index).initialize(to: row != nil) }
    }
}
