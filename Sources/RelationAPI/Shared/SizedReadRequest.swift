import Protobuf

/// A request that only reads, and is answered by one message.
package protocol SizedReadRequest: ReadRequest {
    var readSize: ReadSize { get }

    /// Whether the bytes of a request show, before they are decoded, that it asks for more than so
    /// many rows.
    ///
    /// So a loop decodes no request that it would only hand to another thread, where it is decoded
    /// again. False is no promise: ``readSize`` decides when the request is decoded.
    static func asks(forMoreThan rows: Int, in bytes: UnsafeRawBufferPointer) -> Bool
}

extension SizedReadRequest {
    package static func asks(forMoreThan rows: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        false
    }
}

/// A request that names in `user_ids` the users whom it asks about.
package protocol NamingReadRequest: SizedReadRequest {
    associatedtype Name
    var userIDs: [Name] { get }
    static var users: NamedUsers { get }
}

/// The users whom a request names, each of whom is looked up in some rows.
///
/// The rows of a user are those that the rule looks up: accounts, both directions of a relation,
/// profiles.
package struct NamedUsers: Sendable {
    let field: RepeatedField
    /// The rows of each, at least.
    let rows: Int

    init(_ schema: Schema, rows: Int) {
        field = RepeatedField(schema, "user_ids")
        self.rows = rows
    }
}

extension NamingReadRequest {
    package var readSize: ReadSize { .rows(userIDs.count * Self.users.rows) }

    package static func asks(forMoreThan rows: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        users.field.hasMore(than: rows / users.rows, in: bytes)
    }
}
