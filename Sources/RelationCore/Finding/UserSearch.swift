import Collation
package import RelationModel
import Storage

/// A search of an app's users for a keyword.
package struct UserSearch: Sendable {
    /// A user that was found.
    package struct Hit: Sendable {
        package let by: FoundBy
        package let user: UserID
        package let profile: ProfileRecord
        /// The position in the order of the search.
        package let position: Position
    }

    /// A position in the order of the search: the bytes of a row of the index, or those of a way
    /// and an id.
    package struct Position: Equatable, Sendable {
        package let bytes: [UInt8]

        package init(_ bytes: some Sequence<UInt8>) {
            self.bytes = Array(bytes)
        }

        fileprivate init(_ by: FoundBy, _ user: UserID) {
            bytes = [UInt8(truncatingIfNeeded: by.rawValue)] + user.text.utf8
        }

        fileprivate func isBefore(_ other: Position) -> Bool {
            bytes.lexicographicallyPrecedes(other.bytes)
        }
    }

    /// A page of users.
    package struct Page: Sendable {
        package fileprivate(set) var hits: [Hit] = []
        /// The position after which the next page begins; nil after the last page.
        package fileprivate(set) var next: Position?
        /// Whether the index has every user.
        package fileprivate(set) var isComplete = true
    }

    /// The caller of a search.
    package struct Viewer: Sendable {
        package let user: UserID
        /// Whether it finds everyone: a credential with the scope `admin`.
        package let isAdmin: Bool
        /// When it searches: until then some bans have ended.
        package let now: Timestamp

        package init(_ user: UserID, isAdmin: Bool, at now: Timestamp) {
            (self.user, self.isAdmin, self.now) = (user, isAdmin, now)
        }
    }

    /// The version of the rules of a search: pages of different versions do not fit together.
    package static let version = FoundNamesState.currentRules

    private let exact: String
    private let name: [UInt8]
    /// The keyword as it is compared with pinyin; nil if it is not typed for a sound.
    private let sound: [UInt8]?
    /// The keyword as it is compared with ids; nil if it is too short.
    private let beginning: [UInt8]?

    /// - Returns: Nil if nothing visible is left of the keyword without its case and its width.
    package init?(_ keyword: String) {
        exact = keyword
        let letters = Collators.shared.unaccented(keyword)
        name = FoldedName.visible(letters)
        sound = Sounds.keyword(letters).map { Sounds.typed($0) }
        beginning = keyword.utf8.count < Limits.idBeginningBytes ? nil : Array(keyword.utf8)
        guard !name.isEmpty else { return nil }
    }

    /// The users after `position`, at most `limit` of them.
    ///
    /// Users whose id or unique id is the keyword come first. Then come those whose nick begins
    /// with it, then those by pinyin, then those by initials, then those whose ids begin with it if
    /// the app lets these find users. Each part is sorted by the letters
    /// that are compared, then by the id. A user comes once, at its first position.
    package func page(
        for viewer: Viewer, app: App, after position: Position?, limit: Int,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Page {
        var page = Page()
        page.isComplete = try FoundNames.isComplete(of: app, in: transaction)
        let exact = try exactHits(for: viewer, app: app, in: transaction)
        for hit in exact where position.map({ $0.isBefore(hit.position) }) ?? true {
            page.hits.append(hit)
        }
        let known = Set(exact.map(\.user))
        var looked = 0
        /// The last row of which the caller may know, for a page that ends before it is full.
        var open: Position?
        var from = position
        while page.hits.count <= limit {
            guard looked < Limits.foundNamesPerPage else {
                // So many rows in a row tell the caller of no user: the list ends.
                guard page.hits.count <= limit, let open else { break }
                page.next = open
                return page
            }
            let rows = try rows(
                after: from, for: viewer, limit: limit + 1, app: app, in: transaction)
            guard let last = rows.last else { break }
            looked += rows.count
            from = Position(last.bytes)
            let owners = try FoundNames.owners(
                rows.map(\.user), for: viewer.isAdmin ? nil : viewer.user, app: app,
                in: transaction)
            let hidden = try hiddenRows(of: rows, for: viewer, app: app, in: transaction)
            for (index, (row, owner)) in zip(rows, owners).enumerated() {
                guard let owner, !hidden.contains(index),
                    canFind(owner, row.user, by: row.part.by.way, viewer, app.settings),
                    let first = firstRow(of: owner, row.user, for: viewer, app.settings)
                else { continue }
                open = Position(row.bytes)
                guard first == row, !known.contains(row.user) else { continue }
                page.hits.append(
                    Hit(by: row.part.by, user: row.user, profile: owner.profile, position: open!))
            }
        }
        guard page.hits.count > limit else { return page }
        page.hits.removeLast(page.hits.count - limit)
        page.next = page.hits.last?.position
        return page
    }

    // MARK: Parts

    /// Whether the caller may find the user, which is never the caller itself.
    private func canFind(
        _ owner: FoundNames.Owner, _ user: UserID, by way: FindWay, _ viewer: Viewer,
        _ settings: AppSettings
    ) -> Bool {
        guard user != viewer.user else { return false }
        return viewer.isAdmin
            || !owner.isClosed
                && owner.userRecord.canBeFound(by: way, at: viewer.now, settings)
    }

    /// The rows that would tell the caller a unique id, letter by letter, that its user hides from
    /// it; who gives a whole unique id knows it already.
    private func hiddenRows(
        of rows: [FoundName], for viewer: Viewer, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Set<Int> {
        let asked = rows.indices.filter { rows[$0].part.by == .uniqueIDBeginning }
        guard !viewer.isAdmin, !asked.isEmpty else { return [] }
        let seen = try Profiles.visible(
            asked.map { rows[$0].user }, by: viewer.user, isAdmin: false, app: app, in: transaction)
        return Set(zip(asked, seen).filter { !($1?.view.isVisible(.uniqueID) ?? false) }.map(\.0))
    }

    /// The users whose id or unique id is the keyword.
    private func exactHits(
        for viewer: Viewer, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Hit] {
        var candidates: [(way: FindWay, by: FoundBy, user: UserID)] = []
        if let user = UserID(exact) { candidates.append((.id, .id, user)) }
        if let id = UniqueID(exact, app.settings.rowLimits),
            let user = try Profiles.owner(of: id, app: app, in: transaction)
        {
            candidates.append((.uniqueID, .uniqueID, user))
        }
        let owners = try FoundNames.owners(
            candidates.map(\.user), for: viewer.isAdmin ? nil : viewer.user, app: app,
            in: transaction)
        var hits: [Hit] = []
        for (candidate, owner) in zip(candidates, owners) {
            let user = candidate.user
            guard let owner, canFind(owner, user, by: candidate.way, viewer, app.settings),
                !hits.contains(where: { $0.user == user })
            else { continue }
            hits.append(
                Hit(
                    by: candidate.by, user: user, profile: owner.profile,
                    position: Position(candidate.by, user)))
        }
        return hits
    }

    /// The first row of the index by which the viewer finds a user; nil if it finds it by none.
    private func firstRow(
        of owner: FoundNames.Owner, _ user: UserID, for viewer: Viewer, _ settings: AppSettings
    ) -> FoundName? {
        var rows: [FoundName] = []
        func add(_ by: FoundBy, _ letters: [UInt8]?) {
            guard let letters else { return }
            let isHidden = !owner.userRecord.canBeFound(by: by.way, settings)
            guard viewer.isAdmin || !isHidden else { return }
            rows.append(FoundName(FoundName.Part(by, isHidden: isHidden), letters, user))
        }
        let folded = FoldedName(owner.profile.nick)
        if folded.name.starts(with: name) { add(.name, folded.name) }
        if let sound {
            add(.pinyin, folded.pinyin.first { $0.starts(with: sound) })
            add(.initials, folded.initials.first { $0.starts(with: sound) })
        }
        if let beginning {
            for (by, letters) in FoundNames.ids(of: user, owner.profile, settings)
            where letters.starts(with: beginning) { add(by, letters) }
        }
        return rows.min { $0.part.byte < $1.part.byte }
    }

    /// The next rows of the index whose letters begin with the keyword.
    private func rows(
        after position: Position?, for viewer: Viewer, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [FoundName] {
        guard app.settings.findsUsers else { return [] }
        var rows: [FoundName] = []
        for (part, letters) in parts(for: viewer, app.settings) where rows.count < limit {
            var last: [UInt8]?
            if let position, let first = position.bytes.first, first >= part.byte {
                // The position is in this part, or after it.
                guard first == part.byte else { continue }
                last = position.bytes
            }
            let table = Tables.foundNames
            let range = FoundNames.range(part, letters, after: last, app)
            try table.scan(range, limit: limit - rows.count, in: transaction) { row, _ in
                rows.append(row)
                return .more
            }
        }
        return rows
    }

    /// The parts of the index that the search looks through, with the letters of each.
    private func parts(
        for viewer: Viewer, _ settings: AppSettings
    ) -> [(part: FoundName.Part, letters: [UInt8])] {
        var ways: [(by: FoundBy, letters: [UInt8])] = [(.name, name)]
        if let sound {
            ways.append((.pinyin, sound))
            // A user with one letter as an initial has it as the first letter of its pinyin too.
            if sound.count > 1 { ways.append((.initials, sound)) }
        }
        if settings.findsIDBeginnings, let beginning {
            ways.append((.idBeginning, beginning))
            ways.append((.uniqueIDBeginning, beginning))
        }
        return (viewer.isAdmin ? [false, true] : [false]).flatMap { isHidden in
            ways.map { (FoundName.Part($0.by, isHidden: isHidden), $0.letters) }
        }
    }
}

extension FoundNames {
    /// The rows of a part of the index whose letters begin with `letters`, and of these the ones
    /// after the row key `last`.
    fileprivate static func range(
        _ part: FoundName.Part, _ letters: [UInt8], after last: [UInt8]?, _ app: App
    ) -> KeyRange {
        let kind = Tables.foundNames.kind
        let letters = letters.prefix(Limits.foundNameBytes)
        let first = [kind, part.byte] + letters
        // No letter is as high as this byte.
        return KeyRange(
            in: app.foundNames, from: last.map { [kind] + $0 + [0] } ?? first, to: first + [0xFF])
    }
}
