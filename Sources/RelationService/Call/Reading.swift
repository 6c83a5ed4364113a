import GRPC
package import RelationCalls
package import RelationCore

/// Reads a store beside the one of a call.
package typealias OtherStore = (
    (any ReadTransaction) throws(StorageError) -> Void
) throws(StorageError) -> Void

/// The part of a read that runs after the check of its request.
///
/// It returns nil if the acting user has no account.
package struct Reading<Response> {
    private let body: (any ReadTransaction) throws(StorageError) -> Response?
    /// The store that has the answer; nil if that is the store of the call.
    let other: OtherStore?

    package init(
        in other: OtherStore? = nil,
        _ body: @escaping (any ReadTransaction) throws(StorageError) -> Response?
    ) {
        self.other = other
        self.body = body
    }

    package func callAsFunction(
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Response? {
        try body(transaction)
    }
}

/// A read that needs the acting user's record, and so learns whether the account exists.
package func reading<Response>(
    _ call: Call,
    _ body: @escaping (UserRecord, any ReadTransaction) throws(StorageError) -> Response
) -> Reading<Response> {
    Reading { (transaction) throws(StorageError) in
        let found = try Accounts.record(of: call.user, app: call.app, in: transaction)
        guard let userRecord = found else { return nil }
        return try body(userRecord, transaction)
    }
}
