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
///
/// An app may make accounts implicitly. There, a user that was never named reads the same as a new
/// account.
package func reading<Response>(
    _ call: Call,
    _ body: @escaping (HeadRecord, any ReadTransaction) throws(StorageError) -> Response
) -> Reading<Response> {
    { (transaction) throws(StorageError) in
        let head = try Tables.heads.record(
            call.app.partition(of: call.user), OnlyKey(), in: transaction)
        if let head { return try body(head, transaction) }
        guard call.app.settings.makesAccountsImplicitly else { return nil }
        return try body(HeadRecord(), transaction)
    }
}
