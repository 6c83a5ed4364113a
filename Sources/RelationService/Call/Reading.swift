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

/// A read that needs the acting user's head, and so learns whether the account exists.
package func reading<Response>(
    _ call: Call,
    _ body: @escaping (HeadRecord, any ReadTransaction) throws(StorageError) -> Response
) -> Reading<Response> {
    { (transaction) throws(StorageError) in
        guard let head = try actorHead(of: call, in: transaction) else { return nil }
        return try body(head, transaction)
    }
}

/// The acting user's head; nil if it has no account.
///
/// An app may make accounts implicitly. There, a user that was never named reads the same as a new
/// account.
func actorHead(
    of call: Call, in transaction: any ReadTransaction
) throws(StorageError) -> HeadRecord? {
    let head = try Tables.heads.record(
        call.app.partition(of: call.user), OnlyKey(), in: transaction)
    if let head { return head }
    return call.app.settings.makesAccountsImplicitly ? HeadRecord() : nil
}
