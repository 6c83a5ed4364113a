import Collation
package import RelationModel

/// A name as a search compares it: the rows of the index that it has.
package struct FoldedName: Sendable {
    /// The whole name without case, accents and compatible forms; it may be empty.
    let name: [UInt8]
    /// The pinyin of each reading, in one piece and as initials.
    let pinyin: [[UInt8]]
    let initials: [[UInt8]]

    /// No name has this byte, which stands between two readings.
    private static let divider: UInt8 = 0xFF

    package init(_ nick: String?) {
        let nick = nick ?? ""
        name = Self.visible(Collators.shared.unaccented(nick))
        guard nick.utf8.contains(where: { $0 >= 0x80 }) else {
            (pinyin, initials) = ([], [])
            return
        }
        let sounds = Collators.shared.use { $0.sounds(of: nick, divider: Self.divider) }
        var (pinyin, initials): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        for reading in sounds.split(separator: Self.divider) {
            let syllables = reading.split(separator: Sounds.mark).map { Sounds.typed($0) }
            guard !syllables.isEmpty else { continue }
            pinyin.insert(Array(syllables.joined().prefix(Limits.foundNameBytes)))
            initials.insert(Array(syllables.compactMap(\.first).prefix(Limits.foundNameBytes)))
        }
        self.pinyin = pinyin.sorted { $0.lexicographicallyPrecedes($1) }
        self.initials = initials.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The letters without control characters, and without white space before them.
    static func visible(_ letters: [UInt8]) -> [UInt8] {
        Array(letters.filter { $0 >= 0x20 && $0 != 0x7F }.drop { $0 == 0x20 })
    }

    /// The rows of the index for `user`, in the order of their bytes: at most
    /// ``Limits/foundNamesPerNick``.
    package func rows(of user: UserID, isHidden: Bool) -> [FoundName] {
        var rows: [FoundName] = []
        func add(_ by: FoundBy, _ letters: [UInt8]) {
            rows.append(FoundName(FoundName.Part(by, isHidden: isHidden), letters, user))
        }
        if !name.isEmpty { add(.name, name) }
        for letters in pinyin { add(.pinyin, letters) }
        for letters in initials { add(.initials, letters) }
        return rows
    }
}
