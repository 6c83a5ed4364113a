import Collation
package import RelationModel

/// A search of a friend list for a keyword.
package struct FriendSearch: Sendable {
    /// The text by which a friend was found; hits by an earlier case come first.
    package enum Found: UInt8, Sendable {
        case remark, name, userID
    }

    package struct Hit: Sendable {
        package let found: Found
        package let row: SortedNames.Row
    }

    private let keyword: [UInt8]
    private let isPrefix: Bool

    /// - Returns: Nil if nothing visible is left of the keyword without its case and its width.
    package init?(_ keyword: String, _ match: SearchMatch) {
        self.keyword = Collators.shared.folded(keyword)
        isPrefix = match == .prefix
        let left = String(decoding: self.keyword, as: UTF8.self).unicodeScalars
        guard left.contains(where: \.isVisible) else { return nil }
    }

    /// The friends that match, sorted by the text that they were found by.
    ///
    /// Hits by the same text have the order of `names`, which sorts by the names that the owner
    /// sees.
    package func hits(in namedFriends: NamedFriendList, sortedBy names: SortedNames) -> [Hit] {
        let folded = namedFriends.folded()
        var hits: [[Hit]] = [[], [], []]
        for row in names.rows {
            guard let found = folded.find(keyword, isPrefix: isPrefix, in: row.member) else {
                continue
            }
            hits[Int(found.rawValue)].append(Hit(found: found, row: row))
        }
        return hits.flatMap(\.self)
    }
}

extension Unicode.Scalar {
    /// Whether it is neither white space nor a control character.
    fileprivate var isVisible: Bool {
        !properties.isWhitespace && properties.generalCategory != .control
    }
}

/// The texts of a list's members in the form that a search compares, in one piece of memory.
///
/// Between two texts of a member stands a byte that no text has, so that one search covers all of
/// them.
struct FoldedNames: Sendable {
    private static let divider: UInt8 = 0xFF

    private struct Ends {
        let remark: Int
        let names: Int
        let userID: Int
    }

    private var bytes: [UInt8] = []
    private var ends: [Ends] = []

    init(_ members: [NamedFriendList.Member], _ collator: Collator) {
        for member in members {
            bytes += collator.folded(member.remark)
            let remark = bytes.count
            let names = member.names
            // Each part of the name begins one of the texts, so that a search for a prefix finds
            // it.
            let texts = [
                names.nick, names.name, names.full(.firstName), names.full(.lastName),
                names.middleName,
            ]
            for text in texts where !text.isEmpty {
                if bytes.count > remark { bytes.append(Self.divider) }
                bytes += collator.folded(text)
            }
            let end = bytes.count
            bytes += collator.folded(member.user.text)
            ends.append(Ends(remark: remark, names: end, userID: bytes.count))
        }
    }

    /// Finds the first kind of a member's texts that contains the keyword.
    func find(_ keyword: [UInt8], isPrefix: Bool, in member: Int) -> FriendSearch.Found? {
        let start = member == 0 ? 0 : ends[member - 1].userID
        let end = ends[member]
        let parts: [(Range<Int>, FriendSearch.Found)] = [
            (start..<end.remark, .remark), (end.remark..<end.names, .name),
            (end.names..<end.userID, .userID),
        ]
        return bytes.withUnsafeBytes { bytes in
            keyword.withUnsafeBytes { keyword in
                parts.first { part, _ in
                    UnsafeRawBufferPointer(rebasing: bytes[part])
                        .holds(keyword, isPrefix ? Self.divider : nil)
                }?.1
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes contain `keyword`.
    ///
    /// With a `divider`, only at their beginning or right after a divider.
    fileprivate func holds(_ keyword: UnsafeRawBufferPointer, _ divider: UInt8?) -> Bool {
        guard count >= keyword.count else { return false }
        for offset in 0...(count - keyword.count) where self[offset] == keyword[0] {
            if let divider, offset > 0, self[offset - 1] != divider { continue }
            var same = 1
            while same < keyword.count, self[offset + same] == keyword[same] { same += 1 }
            if same == keyword.count { return true }
        }
        return false
    }
}
