import Memory
package import RelationCore
import RelationModel
import Support

/// The position after which a page begins, as a text that the caller sends back for the next page.
///
/// A token carries a digest of its query and of its position. So a token of another list, order,
/// filter or history of the app is refused, and so is a token that lost its end on the way. Neither
/// is answered with wrong rows.
package struct PageToken: Equatable {
    /// The version of the format: a token of another version is refused.
    private static let version: UInt8 = 1

    package let position: TimedUser

    package init(_ position: TimedUser) {
        self.position = position
    }

    /// Reads `text`; nil if it is not a token of `query`.
    package init?(_ text: String, of query: String) {
        guard let cursor = Self.cursor(text, of: query), cursor.count > 8 else { return nil }
        let time = cursor.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let user = UserID(String(decoding: cursor.dropFirst(8), as: UTF8.self)) else {
            return nil
        }
        position = TimedUser(timeMs: Int64(bitPattern: time), user: user)
    }

    package func text(of query: String) -> String {
        var cursor: [UInt8] = []
        cursor.append(bigEndian: UInt64(bitPattern: position.timeMs))
        cursor.append(contentsOf: position.user.text.utf8)
        return Self.text(cursor, of: query)
    }

    /// Returns the token of a cursor, which may be any bytes.
    package static func text(_ cursor: [UInt8], of query: String) -> String {
        String(hexadecimal: [version] + mark(of: query, cursor[...]) + cursor)
    }

    /// The cursor in `text`; nil if it is not a token of `query`.
    package static func cursor(_ text: String, of query: String) -> ArraySlice<UInt8>? {
        guard text.utf8.count <= Limits.pageTokenBytes, let bytes = [UInt8](hexadecimal: text),
            bytes.count > 9, bytes[0] == version, bytes[1..<9] == mark(of: query, bytes[9...])
        else { return nil }
        return bytes[9...]
    }

    private static func mark(of query: String, _ cursor: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        Digest.of(Array(query.utf8) + [0] + cursor)[..<8]
    }
}

extension DefaultStringInterpolation {
    /// Appends the app and its history: a token of a list is not a token of that list in another
    /// history.
    ///
    /// A list of no app has the registry's, which is the history of the store.
    package mutating func appendInterpolation(mark app: App) {
        appendInterpolation(app.id)
        appendLiteral(".")
        appendLiteral(app.history.text)
    }
}
