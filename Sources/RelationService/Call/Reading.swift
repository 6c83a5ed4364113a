import GRPC
package import RelationCalls
package import RelationCore

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
        let found = try Accounts.record(of: call.user, app: call.app, in: transaction)
        guard let userRecord = found else { return nil }
        return try body(userRecord, transaction)
    }
}
