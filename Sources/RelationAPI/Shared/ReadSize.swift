import Protobuf
import RelationModel

/// How much a read looks at, as far as its request tells.
///
/// The loop of a connection answers small reads by itself. Longer ones go to other threads, so that
/// no caller waits for what another one has asked for.
package enum ReadSize: Sendable, Equatable {
    /// Some rows, or work that takes as long as to look them up.
    case rows(Int)
    /// As many rows as a user or an app has.
    case scan

    /// Items that are looked up in some rows each.
    static func items(_ count: Int, rows: Int) -> ReadSize {
        .rows(count * rows)
    }

    /// A page of a list: rows that lie together cost less than rows that are looked up.
    static func list(
        _ size: Int32, atMost limit: Int = Limits.maxPageRows
    ) -> ReadSize {
        .rows((pageRows(size, atMost: limit) + listedPerRow - 1) / listedPerRow)
    }

    /// A page of things that cost as much as a row that is looked up, or of such rows.
    static func page(
        _ size: Int32, atMost limit: Int = Limits.maxPageRows
    ) -> ReadSize {
        .rows(pageRows(size, atMost: limit))
    }

    /// How many rows that lie together are read in the time in which one is looked up.
    private static let listedPerRow = 4

    /// The rows of a page: a size below 0 is refused, and 0 is the usual one.
    private static func pageRows(_ size: Int32, atMost limit: Int) -> Int {
        size <= 0 ? min(Limits.defaultPageRows, limit) : min(Int(size), limit)
    }
}

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
