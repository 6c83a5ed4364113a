import Collation
package import RelationModel

/// A search of a friend list for a keyword.
package struct FriendSearch: Sendable {
    /// The text by which a friend was found; hits by an earlier case come first.
    package enum Found: UInt8, Sendable, CaseIterable {
        case remark, name
        /// By the pinyin of the remark, or of a name.
        case remarkSound, nameSound
        case userID
    }

    package struct Hit: Sendable {
        package let found: Found
        package let row: SortedNames.Row
    }

    /// The version of the rules of a search: pages of different versions do not fit together.
    package static let version = 3

    private let keyword: Keyword
    private let isPrefix: Bool

    /// - Returns: Nil if nothing visible is left of the keyword without its case and its width.
    package init?(_ keyword: String, _ match: SearchMatch) {
        let text = Collators.shared.unaccented(keyword)
        self.keyword = Keyword(text: text, sound: Sounds.keyword(text))
        isPrefix = match == .prefix
        let left = String(decoding: text, as: UTF8.self).unicodeScalars
        guard left.contains(where: \.isVisible) else { return nil }
    }

    /// The friends that match, sorted by the text that they were found by.
    ///
    /// Hits by the same text have the order of `names`, which sorts by the names that the owner
    /// sees.
    package func hits(in namedFriends: NamedFriendList, sortedBy names: SortedNames) -> [Hit] {
        let folded = namedFriends.folded()
        var hits: [[Hit]] = Found.allCases.map { _ in [] }
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

/// The text that a search looks for.
struct Keyword: Sendable {
    let text: [UInt8]
    /// The text as it is compared with sounds; nil if it is not typed for a sound.
    let sound: [UInt8]?
}
