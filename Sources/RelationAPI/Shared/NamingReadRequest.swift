import Protobuf

/// A request that names in `user_ids` the users whom it asks about.
package protocol NamingReadRequest: SizedReadRequest {
    associatedtype Name
    var userIDs: [Name] { get }
    static var users: NamedUsers { get }
}

extension NamingReadRequest {
    package var readSize: ReadSize { .rows(userIDs.count * Self.users.rows) }

    package static func asks(forMoreThan rows: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        users.field.hasMore(than: rows / users.rows, in: bytes)
    }
}
