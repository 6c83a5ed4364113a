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

/// The texts of a list's members in the form that a search compares, in one piece of memory.
///
/// Between two texts of a member stands a byte that no text has, so that one search covers all of
/// them.
struct FoldedNames: Sendable {
    private static let divider: UInt8 = 0xFF

    /// Where the texts of a member end, in the order of ``FriendSearch/Found``.
    private struct Ends {
        var remark = 0
        var names = 0
        var remarkSounds = 0
        var nameSounds = 0
        var userID = 0
    }

    private var bytes: [UInt8] = []
    private var ends: [Ends] = []

    init(_ members: [NamedFriendList.Member], _ collator: Collator) {
        for member in members {
            var ends = Ends()
            let names = member.names
            // Each part of the name begins one of the texts, so that a search for a prefix finds
            // it.
            let texts = [
                names.nick, names.name, names.full(.firstName), names.full(.lastName),
                names.middleName,
            ]
            bytes += collator.unaccented(member.remark)
            ends.remark = bytes.count
            append(texts) { collator.unaccented($0) }
            ends.names = bytes.count
            append([member.remark]) { collator.sounds(of: $0, divider: Self.divider) }
            ends.remarkSounds = bytes.count
            append(texts) { collator.sounds(of: $0, divider: Self.divider) }
            ends.nameSounds = bytes.count
            bytes += collator.unaccented(member.user.text)
            ends.userID = bytes.count
            self.ends.append(ends)
        }
    }

    private mutating func append(_ texts: [String], as form: (String) -> [UInt8]) {
        let start = bytes.count
        for text in texts where !text.isEmpty {
            let form = form(text)
            if form.isEmpty { continue }
            if bytes.count > start { bytes.append(Self.divider) }
            bytes += form
        }
    }

    /// Finds the first kind of a member's texts that contains the keyword.
    func find(_ keyword: Keyword, isPrefix: Bool, in member: Int) -> FriendSearch.Found? {
        let start = member == 0 ? 0 : ends[member - 1].userID
        let end = ends[member]
        return bytes.withUnsafeBytes { bytes in
            keyword.text.withUnsafeBytes { text in
                func contains(_ part: Range<Int>) -> Bool {
                    UnsafeRawBufferPointer(rebasing: bytes[part])
                        .contains(text, isPrefix ? Self.divider : nil)
                }
                func sounds(_ part: Range<Int>) -> Bool {
                    guard let sound = keyword.sound, !part.isEmpty else { return false }
                    let part = UnsafeRawBufferPointer(rebasing: bytes[part])
                    return Sounds.match(sound, in: part, isPrefix: isPrefix)
                }
                if contains(start..<end.remark) { return .remark }
                if contains(end.remark..<end.names) { return .name }
                if sounds(end.names..<end.remarkSounds) { return .remarkSound }
                if sounds(end.remarkSounds..<end.nameSounds) { return .nameSound }
                return contains(end.nameSounds..<end.userID) ? .userID : nil
            }
        }
    }
}

/// The text that a search looks for.
struct Keyword: Sendable {
    let text: [UInt8]
    /// The text as it is compared with sounds; nil if it is not typed for a sound.
    let sound: [UInt8]?
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes contain `keyword`.
    ///
    /// With a `divider`, only at their beginning or right after a divider.
    fileprivate func contains(_ keyword: UnsafeRawBufferPointer, _ divider: UInt8?) -> Bool {
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
