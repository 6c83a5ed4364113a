import Protobuf
import RelationModel
import Storage

extension AppExport {
    /// Adds the user's applications that wait, with the reviews of their wordings.
    ///
    /// - Returns: Whether the batch has room for more rows after all of them.
    static func addApplications(
        of user: UserID, after rowKey: [UInt8], _ app: App, _ batch: inout Batch,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        let partition = app.partition(of: user)
        let start = batch.rows.count
        let isDone = try scan(
            Tables.pendencies, .pendencies, rowKey, partition, &batch, transaction
        ) { Row(user: user, content: .pendency($0.type, $1, reviews: [])) }
        let userRecord = try Tables.userRecords.record(partition, OnlyKey(), in: transaction)
        guard userRecord?.friendReviewCount ?? 0 > 0 else { return isDone }
        let step = RowSizes(app.settings).reviewedRowsPerRead
        for first in stride(from: start, to: batch.rows.count, by: step) {
            let part = first..<min(first + step, batch.rows.count)
            guard try addWordings(to: part, partition, &batch, transaction) else { return false }
        }
        return isDone
    }

    /// Adds the reviews of wordings to some applications that the user has sent.
    ///
    /// A review whose friend has a row already stands beside that row.
    ///
    /// - Returns: False if the batch is full, and ends before the other rows.
    private static func addWordings(
        to part: Range<Int>, _ partition: Partition, _ batch: inout Batch,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        var (sent, keys): ([(index: Int, record: PendencyRecord)], KeyList) = ([], KeyList())
        for index in part {
            guard case .pendency(.sendOut, let record, _) = batch.rows[index].content else {
                continue
            }
            sent.append((index, record))
            Tables.friendReviews.add(partition, UserID(stored: record.userID.utf8), to: &keys)
        }
        let found = try Tables.friendReviews.records(keys, in: transaction)
        for ((index, application), record) in zip(sent, found) {
            let other = UserID(stored: application.userID.utf8)
            guard let record,
                try !Tables.friends.contains(partition, other, in: transaction)
            else { continue }
            let user = batch.rows[index].user
            let reviews = record.reviews.filter(\.isOfWording)
            batch.rows[index] = Row(
                user: user, content: .pendency(.sendOut, application, reviews: reviews))
            batch.bytes += record.bytesAtMost
            guard batch.bytes >= Limits.exportBytes, index + 1 < batch.rows.count else { continue }
            // The other rows may have long reviews too: they begin the next batch.
            batch.rows.removeSubrange((index + 1)...)
            batch.position = Position(
                user: user, section: .pendencies, rowKey: PendencyKey(.sendOut, other).bytes)
            return false
        }
        return true
    }
}
