package import RelationCore
import RelationModel
import Storage

/// Where a page begins, as the caller carries it from one page to the next.
///
/// A token carries a digest of the query that it belongs to and of the place that it names, so that
/// one that is used with another list, order or filter, or that lost its end on the way, is refused
/// instead of answered with the wrong rows.
package struct PageToken: Equatable {
    /// The format: tokens of other versions are refused.
    private static let version: UInt8 = 1

    package let position: TimedUser

    package init(_ position: TimedUser) {
        self.position = position
    }

    /// The token that `text` spells, or nil if it is not one of `query`.
    package init?(_ text: String, of query: String) {
        guard let place = Self.place(text, of: query), place.count > 8 else { return nil }
        let time = place.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let user = UserID(String(decoding: place.dropFirst(8), as: UTF8.self)) else {
            return nil
        }
        position = TimedUser(timeMs: Int64(bitPattern: time), user: user)
    }

    package func text(of query: String) -> String {
        var place: [UInt8] = []
        place.append(bigEndian: UInt64(bitPattern: position.timeMs))
        place.append(contentsOf: position.user.text.utf8)
        return Self.text(place, of: query)
    }

    /// The token of a place that is named by any bytes.
    package static func text(_ place: [UInt8], of query: String) -> String {
        String(hexadecimal: [version] + mark(of: query, place[...]) + place)
    }

    /// The bytes in the token that `text` spells, or nil if it is not one of `query`.
    package static func place(_ text: String, of query: String) -> ArraySlice<UInt8>? {
        guard text.utf8.count <= Limits.pageTokenBytes, let bytes = [UInt8](hexadecimal: text),
            bytes.count > 9, bytes[0] == version, bytes[1..<9] == mark(of: query, bytes[9...])
        else { return nil }
        return bytes[9...]
    }

    private static func mark(of query: String, _ place: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        Digest.of(Array(query.utf8) + [0] + place)[..<8]
    }
}
