import Memory
import Storage

/// A view of a modelled database, on a connection that no other has meanwhile.
class ModelReadTransaction: ReadTransaction {
    let arena = Arena(capacity: ModelLimits.arenaBytes)
    private let take: () throws(StorageError) -> ModelConnection
    private let release: (ModelConnection) -> Void
    /// Tries again until then if a connection breaks before its first answer; nil if it does not.
    private let client: ModelClient?
    private var taken: ModelConnection?
    private var hasView = false
    private var isInBody = false

    /// - Parameters:
    ///   - client: Where it tries other connections; nil if it has only one.
    ///   - release: Gets each connection that it has taken.
    init(
        _ client: ModelClient?, _ take: @escaping () throws(StorageError) -> ModelConnection,
        release: @escaping (ModelConnection) -> Void
    ) {
        (self.client, self.take, self.release) = (client, take, release)
    }

    /// One on a connection that its owner keeps.
    convenience init(on connection: ModelConnection) {
        self.init(nil, { () throws(StorageError) in connection }, release: { _ in })
    }

    deinit { arena.free() }

    var readsAhead: Bool { true }

    /// The connection that it has, for its owner to give back.
    func end() {
        guard let taken else { return }
        taken.end()
        release(taken)
        self.taken = nil
    }

    private func ask(_ question: ModelQuestion) throws(StorageError) -> ModelAnswer {
        var pauses = client.map { $0.pauses(milliseconds: $0.options.patienceMilliseconds) }
        while true {
            do throws(StorageError) {
                if taken == nil { taken = try take() }
                guard let taken else { preconditionFailure("nothing was taken") }
                let answers = try taken.ask([question])
                hasView = true
                return answers[0]
            } catch {
                guard !hasView, error.code == .unavailable, let client, var left = pauses,
                    client.pause(&left)
                else { throw error }
                pauses = left
                if let broken = taken { release(broken) }
                taken = nil
            }
        }
    }

    func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        precondition(!isInBody, "a transaction was used inside the body of its own read")
        guard case .values(let values) = try ask(.rows((0..<keys.count).map { keys[$0].bytes }))
        else { preconditionFailure("another answer") }
        isInBody = true
        defer { isInBody = false }
        for (index, value) in values.enumerated() {
            guard let value else {
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
            lower: range.lower, upper: range.upper, order, limit: limit)
        guard case .rows(let rows) = try ask(question) else { preconditionFailure("no rows") }
        isInBody = true
        defer { isInBody = false }
        for row in rows {
            let step = row.key.withUnsafeBytes { key in
                row.value.withUnsafeBytes { value in body(key, value) }
            }
            if step == .stop { return }
        }
    }
}

/// A modelled database by one view, on a connection of its own.
///
/// `@unchecked Sendable`: one thread of a simulation reads it at a time.
final class ModelSnapshot: Snapshot, @unchecked Sendable {
    private var connection: ModelConnection?
    private let release: (ModelConnection) -> Void
    /// Whether the primary of the view is the present one.
    private let isOfPrimary: () -> Bool
    private var isEnded = false

    init(
        _ connection: ModelConnection, isOfPrimary: @escaping () -> Bool = { true },
        release: @escaping (ModelConnection) -> Void
    ) {
        (self.connection, self.isOfPrimary, self.release) = (connection, isOfPrimary, release)
    }

    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard let connection else { throw StorageError(.unavailable, "the snapshot is closed") }
        guard isOfPrimary() else {
            throw StorageError(.unavailable, "another server has become the primary")
        }
        do throws(StorageError) {
            return try body(ModelReadTransaction(on: connection))
        } catch {
            if error.code == .unavailable { isEnded = true }
            throw error
        }
    }

    var isLost: Bool { isEnded || !isOfPrimary() }

    func close() {
        guard let connection else { return }
        self.connection = nil
        connection.end()
        release(connection)
    }
}
