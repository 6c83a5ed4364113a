import GRPC
import Protobuf
import RelationAPI
package import RelationCore
import RelationModel
package import Storage

/// What a read does once its request has been understood: nil means that the acting user is no
/// account.
package typealias Reading<Response> =
    (any ReadTransaction) throws(StorageError) -> Response?

/// A read that needs the acting user's head, and so finds out whether there is such an account.
///
/// In an app that makes accounts implicitly a user who was never named reads what a new account
/// would.
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
