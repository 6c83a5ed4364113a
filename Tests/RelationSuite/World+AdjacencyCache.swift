import Memory
import Protobuf
package import RelationCore
package import RelationModel
import Storage

/// The sizes with which the rules are tried: with adjacency lists, without them, and with so little
/// memory that hardly any stays.
package enum CircleSize: CaseIterable, Sendable {
    case usual, none, tiny
    /// All ids have the same hash.
    case colliding

    package func adjacency() -> AdjacencyCache {
        switch self {
        case .usual: AdjacencyCache()
        case .none: AdjacencyCache(bytes: 0)
        case .tiny: AdjacencyCache(bytes: 900)
        case .colliding: AdjacencyCache(hashMask: 0)
        }
    }
}

extension World {
    /// Asks how `users` stand to each other, from rows, from adjacency lists with rows, and from
    /// adjacency lists alone, and tells where the answers differ.
    ///
    /// - Parameter loads: Whether adjacency lists that are not known are loaded.
    package func circleFindings(
        of users: [UserID], loads: Bool = true
    ) throws(StorageError) -> [String] {
        var findings: [String] = []
        let arena = Arena()
        defer { arena.free() }
        for owner in users {
            arena.reset()
            // Malformed ids have an answer too.
            let names = (users.map(\.text) + ["", " a", "b\u{7F}"]).compactMap { arena.text($0) }
            let rows = try standings(names, of: owner, nil, arena)
            let asked = try standings(
                names, of: owner, CacheLookup(memory, loading: loads ? [owner] : [], app), arena)
            if asked != rows {
                findings.append("\(owner) with lists: \(asked), by rows: \(rows)")
            }
            let cached = try cachedStandings(names, of: owner, arena)
            findings += try wholeFindings(of: owner, users, loads)
            findings += try rowFindings(of: owner, names, loads, arena)
            findings += try explanationFindings(of: owner, users)
            for (one, other) in zip(cached, rows) where one != nil && one != other {
                findings.append(
                    "\(owner) by lists alone: \(one ?? ""), by rows: \(other)")
            }
        }
        return findings
    }

    /// Where a message of the owner to the user after it, or a field of that user's profile, is
    /// explained otherwise than it is decided.
    private func explanationFindings(
        of owner: UserID, _ users: [UserID]
    ) throws(StorageError) -> [String] {
        guard let place = users.firstIndex(of: owner) else { return [] }
        let other = users[(place + 1) % users.count]
        return try explanationFindings(from: owner, to: other)
            + profileExplanationFindings(by: owner, about: other)
    }

    /// Where relations, common friends and suggestions differ with adjacency lists and without.
    private func wholeFindings(
        of owner: UserID, _ users: [UserID], _ loads: Bool
    ) throws(StorageError) -> [String] {
        let asked =
            loads
            ? CacheLookup(memory, loadingFriendsOf: owner, app)
            : CacheLookup(memory, loading: [], app)
        return try read { (transaction) throws(StorageError) in
            // The view of these calls is taken by their first row.
            guard
                try Tables.userRecords.record(app.partition(of: owner), OnlyKey(), in: transaction)
                    != nil
            else { return [] }
            let byRows = try whole(of: owner, users, nil, transaction)
            let byLists = try whole(of: owner, users, asked, transaction)
            return byRows == byLists
                ? [] : ["\(owner) with lists: \(byLists), by rows: \(byRows)"]
        }
    }

    private func whole(
        of owner: UserID, _ users: [UserID], _ asked: CacheLookup?,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [String] {
        let relations = try FriendRelations.read(
            users, of: owner, at: now, app: app, asking: asked, in: transaction)
        var answers = relations.map { "\($0 as Any)" }
        for other in users where other != owner {
            let mutual = try SharedFriends.mutual(
                of: owner, with: other, isAdmin: false, limit: 2, app: app, asking: asked,
                in: transaction)
            answers.append("\(mutual)")
        }
        let suggested = try FriendSuggestions(
            to: owner, isAdmin: false, limit: 3, at: now, app: app, asking: asked,
            in: transaction)
        answers.append("\(suggested.suggestions) \(suggested.isBounded)")
        return answers
    }

    /// Where the friends' rows that are kept differ from those of the store.
    private func rowFindings(
        of owner: UserID, _ names: [Text], _ loads: Bool, _ arena: Arena
    ) throws(StorageError) -> [String] {
        let app = app
        let asked = CacheLookup(memory, loading: loads ? [owner] : [], app)
        return try names.withUnsafeBufferPointer { (names) throws(StorageError) in
            var expected: [[UInt8]] = []
            var answers = try read { (transaction) throws(StorageError) -> [[[UInt8]]] in
                let partition = app.partition(of: owner)
                let userRecord = try Tables.userRecords.record(
                    partition, OnlyKey(), in: transaction)
                guard let userRecord else { return [] }
                expected = try storedRows(names, of: owner, transaction)
                let known = try KnownRelations.read(
                    names, of: owner, having: Int(userRecord.friendCount), app: app, asking: asked,
                    in: transaction, arena)
                return known.map { [rows($0, names)] } ?? []
            }
            let look = try KnownRelations.cached(
                names, of: owner, app: app, from: adjacency, memory.friends, arena)
            if case .answered(let known) = look { answers.append(rows(known, names)) }
            return answers.filter { $0 != expected }.map {
                "\(owner) with kept rows: \($0), by rows: \(expected)"
            }
        }
    }

    /// The encoded row of each user, without custom values; empty if there is none.
    private func rows(
        _ known: KnownRelations, _ names: UnsafeBufferPointer<Text>
    ) -> [[UInt8]] {
        known.withRows { view in
            names.indices.map { index in
                let isFriend =
                    known.pairs.state(index) == .found && !known.pairs.isOwner(index)
                    && known.pairs.facts(index).isMine
                guard isFriend else { return [] }
                return names[index].withBytes { view?.row(of: $0).map { [UInt8]($0) } } ?? [0]
            }
        }
    }

    private func storedRows(
        _ names: UnsafeBufferPointer<Text>, of owner: UserID, _ transaction: any ReadTransaction
    ) throws(StorageError) -> [[UInt8]] {
        try names.map { (name) throws(StorageError) in
            guard let user = UserID(String(name)),
                try Accounts.exists(user, of: app, in: transaction),
                var row = try Tables.friends.record(
                    app.partition(of: owner), user, in: transaction)
            else { return [] }
            row.custom = []
            do throws(CodecError) {
                return try Coder(FriendRecord.self).bytes(row, transaction.arena)
            } catch {
                throw StorageError(.failed, "\(error)")
            }
        }
    }

    /// The answers of the checks, each in words.
    private func standings(
        _ names: [Text], of owner: UserID, _ asked: CacheLookup?, _ arena: Arena
    ) throws(StorageError) -> [String] {
        let app = app
        return try read { (transaction) throws(StorageError) in
            try names.withUnsafeBufferPointer { (names) throws(StorageError) in
                var answers: [String] = []
                for type in [CheckType.bidirection, .unidirection] {
                    let found = try FriendCheck.run(
                        names, of: owner, type, app: app, asking: asked, in: transaction, arena)
                    answers.append(found.map { "\(Array($0))" } ?? "none")
                }
                var sends = ""
                let exists = try SendRules.check(
                    from: owner, to: names, at: now, app: app, asking: asked, in: transaction, arena
                ) { sends += "\($0) " }
                answers.append(exists ? sends : "none")
                for both in [true, false] {
                    var blocks = ""
                    let exists = try Blacklist.check(
                        names, of: owner, both: both, app: app, asking: asked, in: transaction,
                        arena
                    ) { blocks += "\($0) \($0 == .found ? $1 : .none) " }
                    answers.append(exists ? blocks : "none")
                }
                return answers
            }
        }
    }

    /// The same answers from adjacency lists alone; nil where they do not say all.
    private func cachedStandings(
        _ names: [Text], of owner: UserID, _ arena: Arena
    ) throws(StorageError) -> [String?] {
        try names.withUnsafeBufferPointer { (names) throws(StorageError) in
            var answers: [String?] = []
            for type in [CheckType.bidirection, .unidirection] {
                let found = try FriendCheck.cached(
                    names, of: owner, type, app: app, from: adjacency, arena)
                if case .answered(let findings) = found {
                    answers.append("\(Array(findings))")
                } else {
                    answers.append(nil)
                }
            }
            var sends = ""
            let send = try SendRules.cached(
                from: owner, to: names, app: app, from: adjacency, arena
            ) { sends += "\($0) " }
            if case .answered = send { answers.append(sends) } else { answers.append(nil) }
            for both in [true, false] {
                var blocks = ""
                let block = try Blacklist.cached(
                    names, of: owner, both: both, app: app, from: adjacency, arena
                ) { blocks += "\($0) \($0 == .found ? $1 : .none) " }
                if case .answered = block { answers.append(blocks) } else { answers.append(nil) }
            }
            return answers
        }
    }
}
