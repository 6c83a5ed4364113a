import Collation
package import RelationModel
package import Storage

/// The row key of the index of names: a part of the index, the letters of a name, and the user.
///
/// Its bytes sort in the order of a search: by the part, then by the letters, then by the id.
package struct FoundName: RowKey, Hashable, Sendable {
    /// A part of the index.
    package struct Part: Hashable, Sendable {
        /// ``FoundBy/name``, ``FoundBy/pinyin`` or ``FoundBy/initials``.
        package let by: FoundBy
        /// Whether only administrators find its users by name.
        package let isHidden: Bool

        /// The first byte of its rows: hidden parts come after all others.
        var byte: UInt8 { UInt8(truncatingIfNeeded: by.rawValue) | (isHidden ? 0x10 : 0) }

        init(_ by: FoundBy, isHidden: Bool) {
            (self.by, self.isHidden) = (by, isHidden)
        }

        init(byte: UInt8) {
            self.init(FoundBy(rawValue: Int32(byte & 0x0F)), isHidden: byte & 0x10 != 0)
        }
    }

    package let part: Part
    /// The letters: without case and accents, at most ``Limits/foundNameBytes`` of them.
    package let letters: [UInt8]
    package let user: UserID

    init(_ part: Part, _ letters: some Sequence<UInt8>, _ user: UserID) {
        self.part = part
        self.letters = Array(letters.prefix(Limits.foundNameBytes))
        self.user = user
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        // No letter and no id has the byte between them.
        guard bytes.count > 2, let end = bytes.firstIndex(of: 0),
            end > 0, end + 1 < bytes.count
        else { return nil }
        part = Part(byte: bytes[0])
        letters = Array(bytes[1..<end])
        user = UserID(stored: UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]))
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(part.byte)
        bytes.append(contentsOf: letters)
        bytes.append(0)
        user.append(to: &bytes)
    }
}

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
    /// ``Limits/foundNamesPerUser``.
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

/// The index of the names by which users of an app are found.
///
/// It has rows only in apps that let users be found. Users that nobody may find by name stand
/// apart from the others, so a search passes no row of them.
package enum FoundNames {
    /// The rows of an account with these records.
    static func rows(
        of user: UserID, _ userRecord: UserRecord, nick: String?, _ settings: AppSettings
    ) -> [FoundName] {
        FoldedName(nick).rows(
            of: user, isHidden: !userRecord.canBeFound(by: .name, settings))
    }

    /// Replaces rows of the index by others.
    static func replace(
        _ old: [FoundName], by new: [FoundName], in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.app.foundNames
        for row in old where !new.contains(row) {
            Tables.foundNames.remove(partition, row, in: ledger.transaction)
        }
        for row in new where !old.contains(row) {
            try Tables.foundNames.set(EmptyRecord(), at: partition, row, in: ledger.transaction)
        }
    }

    /// Moves `user` from one nick to another, if the app has the index.
    static func move(
        _ user: UserID, from old: String?, to new: String?, in ledger: Ledger
    ) throws(StorageError) {
        let settings = ledger.settings
        guard settings.findsUsers, old != new, let record = try ledger.userRecord(of: user) else {
            return
        }
        try replace(
            rows(of: user, record, nick: old, settings),
            by: rows(of: user, record, nick: new, settings), in: ledger)
    }
}

extension App {
    /// The index of names, and its state.
    package var foundNames: Partition { Partition(app: id, name: [0x1E]) }
}
