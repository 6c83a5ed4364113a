package import RelationModel
import Storage

/// A check of the rows of one user that say which others name it, part by part: millions may have
/// it as a friend, mute it, or have dismissed it as a suggestion.
///
/// Each part is bounded, and so is its repair. The applications that others hid stay with the
/// user's own rows, because a counter of the user has their number.
package struct MentionsCheck {
    /// A row that says that another user names this one.
    fileprivate enum Row {
        case mention(Mention)
        case dismisser(UserID)
    }

    /// How many users have the user as a friend without being its friends.
    fileprivate struct Count {
        let rows: Int64
        /// The counter when the check began; nil if it was not known.
        let counted: Int64?
    }

    /// The errors of one part.
    package struct Part {
        /// Rows whose other side is not there.
        fileprivate var strays: [Row] = []
        /// The users that have the user as a friend, by the rows of all parts; nil unless the
        /// counter says otherwise.
        fileprivate var reverseFriends: Count?
        /// These errors as findings.
        package fileprivate(set) var findings: [Integrity.Finding] = []
    }

    package let user: UserID
    package private(set) var isDone = false
    /// Whether some rows were looked at.
    package private(set) var hasBegun = false
    private let app: App
    private let limit: Int
    private var lastMention: Mention?
    private var areMentionsDone = false
    private var lastDismisser: UserID?
    /// The counter of reverse friends when the check began; nil if the app keeps none.
    private var reverseCount: ReverseCountRecord?
    private var reverseFriends: Int64 = 0

    package init(_ user: UserID, _ app: App, limit: Int = CoreLimits.mentionsPerCheck) {
        self.user = user
        self.app = app
        self.limit = limit
    }

    /// Checks that the others in the next rows name the user.
    package mutating func next(in transaction: any ReadTransaction) throws(StorageError) -> Part {
        // The rows of an account that is being deleted are its deletion's.
        let partition = app.partition(of: user)
        if !hasBegun {
            isDone = try !Tables.userRecords.contains(partition, OnlyKey(), in: transaction)
            if isDone { return Part() }
            reverseCount = try ReverseCounts.counter(of: user, app: app, in: transaction)
        }
        hasBegun = true
        let rows = try nextRows(of: partition, in: transaction)
        isDone = areMentionsDone && rows.count < limit
        var part = Part()
        for (row, isTrue) in zip(rows, try Self.areTrue(rows, of: user, app, in: transaction)) {
            guard !isTrue else {
                if row.isOfReverseFriend { reverseFriends += 1 }
                continue
            }
            part.strays.append(row)
            part.findings.append(
                Integrity.Finding(
                    user: user, fault: .indexWithoutRow, subject: row.subject, other: row.owner))
        }
        guard isDone, let reverseCount else { return part }
        let counted = reverseCount.isKnown ? reverseCount.count : nil
        guard counted != reverseFriends else { return part }
        part.reverseFriends = Count(rows: reverseFriends, counted: counted)
        part.findings.append(
            Integrity.Finding(
                user: user, fault: .wrongCounter, subject: "reverse_friend_count"))
        return part
    }

    /// Removes the rows of a part whose other side is still not there.
    ///
    /// - Returns: The errors of the part, none of which is left.
    package static func repair(
        _ part: Part, of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> [Integrity.Finding] {
        let partition = ledger.partition(of: user)
        let areTrue = try areTrue(part.strays, of: user, ledger.app, in: ledger.transaction)
        for (row, isTrue) in zip(part.strays, areTrue) where !isTrue {
            switch row {
            case .mention(let mention):
                Tables.mentions.remove(partition, mention, in: ledger.transaction)
            case .dismisser(let owner):
                Tables.dismissers.remove(partition, owner, in: ledger.transaction)
            }
        }
        if let count = part.reverseFriends {
            try ReverseCounts.correct(
                of: user, toRows: count.rows, from: count.counted, in: ledger)
        }
        return part.findings
    }

    // MARK: Rows

    private mutating func nextRows(
        of partition: Partition, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Row] {
        var rows: [Row] = []
        if !areMentionsDone {
            let table = Tables.mentions
            let range =
                lastMention.map { table.rows(of: partition, after: $0) }
                ?? table.all(of: partition)
            var last: Mention?
            var count = 0
            try table.scan(range, limit: limit, in: transaction) { mention, _ in
                (last, count) = (mention, count + 1)
                if mention.list != .comeIn { rows.append(.mention(mention)) }
                return .more
            }
            lastMention = last ?? lastMention
            areMentionsDone = count < limit
        }
        guard areMentionsDone, rows.count < limit else { return rows }
        let table = Tables.dismissers
        var owners: [UserID] = []
        try table.scan(
            table.rows(of: partition, after: lastDismisser), limit: limit - rows.count,
            in: transaction
        ) { owner, _ in
            owners.append(owner)
            return .more
        }
        lastDismisser = owners.last ?? lastDismisser
        return rows + owners.map(Row.dismisser)
    }

    /// Whether the owner of each row names the user, as the row says.
    private static func areTrue(
        _ rows: [Row], of user: UserID, _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool] {
        var keys = KeyList()
        for row in rows { row.addKeys(user, app, to: &keys) }
        if transaction.readsAhead, keys.count > 0 { transaction.expect(keys) }
        var areTrue: [Bool] = []
        for row in rows { areTrue.append(try row.isTrue(of: user, app, in: transaction)) }
        return areTrue
    }
}

extension MentionsCheck.Row {
    var owner: UserID {
        switch self {
        case .mention(let mention): mention.owner
        case .dismisser(let owner): owner
        }
    }

    var isOfReverseFriend: Bool {
        if case .mention(let mention) = self { mention.list == .friends } else { false }
    }

    var subject: String {
        switch self {
        case .mention: "mentions"
        case .dismisser: "dismissers"
        }
    }

    /// Adds the rows that decide whether the row is true.
    func addKeys(_ user: UserID, _ app: App, to keys: inout KeyList) {
        let (mine, theirs) = (app.partition(of: user), app.partition(of: owner))
        switch self {
        case .mention(let mention):
            switch mention.list {
            case .friends, .unreturned:
                Tables.friends.add(theirs, user, to: &keys)
                Tables.friends.add(mine, mention.owner, to: &keys)
            case .muting: Tables.friends.add(theirs, user, to: &keys)
            case .blacklist: Tables.blacklist.add(theirs, user, to: &keys)
            case .comeIn: Tables.pendencies.add(theirs, PendencyKey(.comeIn, user), to: &keys)
            case .sendOut: Tables.pendencies.add(theirs, PendencyKey(.sendOut, user), to: &keys)
            }
        case .dismisser: Tables.dismissals.add(theirs, user, to: &keys)
        }
    }

    func isTrue(
        of user: UserID, _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        switch self {
        case .mention(let mention): try mention.isTrue(of: user, app, in: transaction)
        case .dismisser(let owner):
            try Tables.dismissals.contains(app.partition(of: owner), user, in: transaction)
        }
    }
}

extension Mention {
    /// Whether the mention holds: the owner has `user` on that list, and the user's own rows do not
    /// say so.
    func isTrue(
        of user: UserID, _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        let (mine, theirs) = (app.partition(of: user), app.partition(of: owner))
        switch list {
        case .friends:
            guard try Tables.friends.contains(theirs, user, in: transaction) else { return false }
            return try !Tables.friends.contains(mine, owner, in: transaction)
        case .blacklist: return try Tables.blacklist.contains(theirs, user, in: transaction)
        case .comeIn:
            return try Tables.pendencies.contains(
                theirs, PendencyKey(.comeIn, user), in: transaction)
        case .sendOut:
            return try Tables.pendencies.contains(
                theirs, PendencyKey(.sendOut, user), in: transaction)
        case .unreturned:
            guard try Tables.friends.contains(mine, owner, in: transaction) else { return false }
            return try !Tables.friends.contains(theirs, user, in: transaction)
        case .muting:
            return try Tables.friends.record(theirs, user, in: transaction)?.isMuting ?? false
        }
    }
}
