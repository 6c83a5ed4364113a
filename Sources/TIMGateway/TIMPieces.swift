import Protobuf
import RPC
import RelationAPI
import RelationModel

/// Requests whose items are written by several calls, one after another.
///
/// One rule holds for all of them. As long as nothing is done, an error is one of the request.
/// After that it is the result of each item that is not done, and no further call is made. An item
/// that was refused is not done. A call that ended by its deadline, or whose commit has no known
/// outcome, is made once more. Only if that leaves it open too may its items be done: they, and no
/// others, say so.
enum TIMPieces {
    /// Writes items in pieces.
    ///
    /// - Parameters:
    ///   - count: The items that one call takes.
    ///   - user: The user of an item.
    ///   - write: Makes the call of a piece, and returns one result for each of its items.
    /// - Returns: One result for each item, in their order.
    /// - Throws: ``TIMError`` of a piece before which nothing is done.
    static func results<Item>(
        of items: [Item], by count: Int, user: (Item) -> String,
        write: ([Item]) async throws(TIMError) -> [TIMResult]
    ) async throws(TIMError) -> [TIMResult] {
        var results: [TIMResult] = []
        for piece in items.pieces(of: count) {
            do throws(TIMError) {
                results += try await write(piece)
            } catch {
                guard results.contains(where: \.isDone) else { throw error }
                results += piece.map { TIMResult(user($0), error.code, error.words) }
                // No call was made for the others.
                return results
                    + items[results.count...].map { TIMResult(user($0), error.code, error.info) }
            }
        }
        return results
    }

    /// The outcome of a stream of rows that are imported.
    struct Import {
        /// The results of rows that have something to report, by their indices.
        private(set) var results: [Int: ImportRowResult] = [:]
        /// The rows before this index are done or refused.
        private(set) var answered = 0
        /// Why the rows from there on are not; nil if there are none.
        private(set) var error: TIMError?
        /// The rows from this index on were sent twice; nil if none were.
        fileprivate(set) var repeatedFrom: Int?

        /// Whether the row of an index is done.
        func isDone(_ index: Int) -> Bool {
            index < answered && (results[index]?.code ?? .success) == .success
        }

        /// Whether the first stream has left the row of an index open, so that a row which the
        /// second one has found may be of this request.
        func wasRepeated(_ index: Int) -> Bool { repeatedFrom.map { index >= $0 } ?? false }

        /// Whether any row is done.
        var hasDone: Bool { (0..<answered).contains(where: isDone) }

        /// Applies the answers to a stream of `count` rows, of which the first is the first one
        /// without an answer.
        fileprivate mutating func apply<Row>(
            _ answers: [ImportResponse<Row, ImportRowResult>], toRows count: Int,
            _ error: TIMError?
        ) {
            let before = answered
            for answer in answers {
                switch answer.answer {
                case .row(let row) where (1...Int64(count)).contains(row.rowNumber):
                    let number = before + Int(row.rowNumber)
                    results[number - 1] = row
                    // It is answered when all rows of its transaction are durable.
                    answered = max(answered, number)
                case .progress(let progress):
                    let last = Int(min(max(0, progress.lastDurableRow), Int64(count)))
                    answered = max(answered, before + last)
                case .row, nil: break
                }
            }
            if error == nil { answered = before + count }
            // The next stream settles nothing of what one has left open, if it fails too.
            self.error = error.map { self.error ?? $0 }
        }
    }

    /// Imports rows by a stream.
    ///
    /// If the stream ends and leaves open what became of its last rows, they are sent once more. A
    /// row that is there as it was sent changes nothing, so this tells what became of each, or does
    /// it. A write of another call between the two streams is written over. No import id names the
    /// streams: the second one would then pass over rows without telling what became of them, and
    /// each request would leave a row of progress behind.
    ///
    /// - Parameter path: Where a message has its row.
    /// - Throws: ``TIMError`` of a request for which no call was made.
    static func imported<Request: CodedMessage, Row>(
        _ rows: [Row], _ path: WritableKeyPath<Request, Row?>,
        by method: Method<Request, ImportResponse<Row, ImportRowResult>>, _ calls: TIMCalls
    ) async throws(TIMError) -> Import
    where ImportResponse<Row, ImportRowResult>: CodedMessage {
        let messages = rows.map { row in
            var message = Request()
            message[keyPath: path] = row
            return message
        }
        var outcome = Import()
        let first = try await calls.stream(method, messages)
        outcome.apply(first.answers, toRows: messages.count, first.error)
        if outcome.error?.mayBeDone == true, outcome.answered < messages.count {
            outcome.repeatedFrom = outcome.answered
            let open = Array(messages[outcome.answered...])
            let second = try await calls.stream(method, open, isRepeated: true)
            outcome.apply(second.answers, toRows: open.count, second.error)
        }
        return outcome
    }
}

extension TIMResult {
    /// Whether the item is done: one that waits for another user's word is too.
    fileprivate var isDone: Bool { code == 0 || code == FriendStatus.pending.rawValue }
}
