import GRPC
import Protobuf
import RelationAPI
package import RelationCalls
package import RelationCore
import RelationModel
package import Storage

/// The part of a read that runs after its request has been understood.
///
/// It returns nil if the acting user has no account.
package typealias Reading<Response> =
    (any ReadTransaction) throws(StorageError) -> Response?

/// A read that needs the acting user's record, and so learns whether the account exists.
package func reading<Response>(
    _ call: Call,
    _ body: @escaping (UserRecord, any ReadTransaction) throws(StorageError) -> Response
) -> Reading<Response> {
    { (transaction) throws(StorageError) in
        guard let userRecord = try actingUserRecord(of: call, in: transaction) else { return nil }
        return try body(userRecord, transaction)
    }
}

/// The acting user's record; nil if it has no account.
///
/// An app may make accounts implicitly. There, a user that was never named reads the same as a new
/// account.
func actingUserRecord(
    of call: Call, in transaction: any ReadTransaction
) throws(StorageError) -> UserRecord? {
    let userRecord = try Tables.userRecords.record(
        call.app.partition(of: call.user), OnlyKey(), in: transaction)
    if let userRecord { return userRecord }
    return call.app.settings.makesAccountsImplicitly ? UserRecord() : nil
}
