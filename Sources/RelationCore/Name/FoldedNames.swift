import Collation
import RelationModel

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
