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
        let hasRoom = try addReviews(
            from: start, partition, app, &batch, transaction, adding: addWordings)
        return hasRoom && isDone
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
            Tables.friendReviews.add(partition, UserID(stored: record.userID), to: &keys)
        }
        let found = try Tables.friendReviews.records(keys, in: transaction)
        for ((index, application), record) in zip(sent, found) {
            let other = UserID(stored: application.userID)
            guard let record,
                try !Tables.friends.contains(partition, other, in: transaction)
            else { continue }
            let reviews = record.reviews.filter(\.isOfWording)
            let hasRoom = batch.replace(
                index, by: .pendency(.sendOut, application, reviews: reviews),
                growingBy: record.bytesAtMost, .pendencies, PendencyKey(.sendOut, other).bytes)
            guard hasRoom else { return false }
        }
        return true
    }
}
