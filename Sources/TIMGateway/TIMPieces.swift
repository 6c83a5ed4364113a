import RelationAPI
import RelationModel

/// Requests whose items are written by several calls, one after another.
///
/// One rule holds for all of them. As long as nothing is done, an error is one of the request.
/// After that it is the result of each item that is not done, and no further call is made. The
/// items of a call that ended by its deadline, or whose commit has no known outcome, may be done.
enum TIMPieces {
    /// Writes items in pieces.
    ///
    /// - Parameters:
    ///   - count: The items that one call takes.
    ///   - user: The user of an item.
    ///   - write: Makes the call of a piece, and returns one result for each of its items.
    /// - Returns: One result for each item, in their order.
    /// - Throws: ``TIMError`` of the first piece.
    static func results<Item>(
        of items: [Item], by count: Int, user: (Item) -> String,
        write: ([Item]) async throws(TIMError) -> [TIMResult]
    ) async throws(TIMError) -> [TIMResult] {
        var results: [TIMResult] = []
        for piece in items.pieces(of: count) {
            do throws(TIMError) {
                results += try await write(piece)
            } catch {
                guard !results.isEmpty else { throw error }
                return results
                    + items[results.count...].map { TIMResult(user($0), error.code, error.info) }
            }
        }
        return results
    }

    /// The outcome of a stream of rows that are imported.
    struct Import {
        /// The results of rows that have something to report, by their indices.
        fileprivate(set) var results: [Int: ImportRowResult] = [:]
        /// The rows before this index are done or refused.
        fileprivate(set) var done = 0
        /// Why the rows from there on are not done; nil if there are none.
        let error: TIMError?
    }

    /// Reads the answers to a stream of `count` rows.
    ///
    /// - Parameter error: The error of a stream that ended before its end.
    /// - Throws: That error, if no row is known to be done.
    static func outcome<Row>(
        ofRows count: Int, _ answers: [ImportResponse<Row, ImportRowResult>], _ error: TIMError?
    ) throws(TIMError) -> Import {
        var outcome = Import(error: error)
        for answer in answers {
            switch answer.answer {
            case .row(let row) where (1...Int64(count)).contains(row.rowNumber):
                outcome.results[Int(row.rowNumber) - 1] = row
                // It is answered when all rows of its transaction are durable.
                outcome.done = max(outcome.done, Int(row.rowNumber))
            case .progress(let progress):
                outcome.done = max(outcome.done, Int(min(progress.lastDurableRow, Int64(count))))
            case .row, nil: break
            }
        }
        guard let error else {
            outcome.done = count
            return outcome
        }
        guard outcome.done > 0 else { throw error }
        return outcome
    }
}
