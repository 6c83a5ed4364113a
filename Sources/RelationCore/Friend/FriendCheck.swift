package import Memory
import Protobuf
package import RelationModel
import Storage

/// Checks the relation of users to one user: the call that back ends make most often.
///
/// All that it needs is in the memory of the call. An id is a view, and no key and no result
/// has memory of its own.
package struct FriendCheck {
    /// The result of a check of one user.
    package enum Finding: CaseIterable {
        /// The id is malformed.
        case malformed
        /// The user is not an account of the app.
        case noAccount
        case none
        case myUni
        case otherUni
        case bothWay

        /// Whether the user's record decides if it is an account.
        fileprivate var isOpen: Bool { self == .none || self == .otherUni }

        /// Notes the questions that lead to the finding.
        fileprivate func note(in ladder: inout some RungRecorder) {
            guard ladder.passes(.peerID, self != .malformed),
                ladder.passes(.peerAccount, self != .noAccount)
            else { return }
            ladder.ends(.friendship)
        }

        /// The relation; nil if there can be none.
        package var relation: FriendRelation? {
            switch self {
            case .malformed, .noAccount: nil
            case .none: FriendRelation.none
            case .myUni: .myUni
            case .otherUni: .otherUni
            case .bothWay: .bothWay
            }
        }
    }

    private let app: App
    private let owner: UserIDView
    private let users: UnsafePointer<Text>
    private let findings: UnsafeMutablePointer<Finding>
    private let count: Int
    private let readsBoth: Bool
    private let arena: Arena

    /// Whether the owner has an account, as far as that is known.
    private var isOwnerKnown: Bool

    /// The relation between `owner` and each of `users`.
    ///
    /// - Parameters:
    ///   - adjacency: The adjacency lists that answer for the rows of users in use.
    ///   - type: ``CheckType/unidirection`` reads `owner`'s list only, and a finding is
    ///   then ``Finding/none`` or ``Finding/myUni``. A user has no relation to itself.
    /// - Returns: The findings in the order of the users, valid as long as `arena` is; nil if the
    ///   owner is not an account.
    /// - Throws: ``StorageError`` if the store failed, or if the arena is full.
    package static func run(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, _ type: CheckType, app: App,
        asking adjacency: CacheLookup? = nil, in transaction: any ReadTransaction, _ arena: Arena
    ) throws(StorageError) -> UnsafeBufferPointer<Finding>? {
        if let adjacency {
            let known = try KnownPairs.read(
                users, of: owner, provedBy: proof, app: app, asking: adjacency,
                in: transaction, arena)
            if let known { return try findings(known, type, arena) }
        }
        if transaction.readsAhead {
            transaction.expect(
                [.userRecords, .friends], of: owner, and: users.compactMap { UserID(String($0)) },
                app: app)
        }
        var ladder = NoRungs()
        return try run(
            users, of: owner, type, app: app, noting: &ladder, in: transaction, arena)
    }

    /// ``run(_:of:_:app:asking:in:_:)`` from rows, which notes the rungs of the one user that it is
    /// asked about.
    static func run(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, _ type: CheckType, app: App,
        noting ladder: inout some RungRecorder, in transaction: any ReadTransaction,
        _ arena: Arena
    ) throws(StorageError) -> UnsafeBufferPointer<Finding>? {
        guard let owner = UserIDView(owner, in: arena), let start = users.baseAddress,
            let findings = arena.allocate(users.count)
        else { throw .callIsFull }
        var check = FriendCheck(
            app: app, owner: owner, users: start,
            findings: findings.bindMemory(to: Finding.self, capacity: users.count),
            count: users.count, readsBoth: type != .unidirection, arena: arena,
            isOwnerKnown: app.settings.makesAccountsImplicitly)
        try check.readFriends(transaction)
        try check.readUserRecords(transaction)
        guard ladder.passes(.ownAccount, check.isOwnerKnown) else { return nil }
        if ladder.isExplaining {
            for index in 0..<users.count { check.findings[index].note(in: &ladder) }
        }
        return UnsafeBufferPointer(start: check.findings, count: users.count)
    }

    /// Reads the rows of both sides, for the users whose ids are well formed.
    private mutating func readFriends(
        _ transaction: any ReadTransaction
    ) throws(StorageError) {
        var bytes = 0
        for index in 0..<count { bytes &+= users[index].count }
        let sides = readsBoth ? 2 : 1
        let each = StagedKeys.bytesBesideNames + owner.text.count
        guard
            var keys = StagedKeys(
                keys: count * sides + 1, bytes: (bytes + count * each) * sides + each, in: arena),
            let memory = arena.allocate(count * MemoryLayout<Int32>.stride),
            let marks = arena.allocate(count * sides + 1)
        else { throw .callIsFull }
        // The user of each pair of keys, or of each key.
        let asked = memory.bindMemory(to: Int32.self, capacity: count)
        var askedCount = 0
        let (app, owner, kind, readsBoth) = (app.id, owner.text, Tables.friends.kind, readsBoth)
        for index in 0..<count {
            guard let user = UserIDView(users[index])?.text else {
                (findings + index).initialize(to: .malformed)
                continue
            }
            (findings + index).initialize(to: .none)
            guard user != owner else { continue }
            keys.append(app: app, owner, kind: kind, user)
            if readsBoth { keys.append(app: app, user, kind: kind, owner) }
            (asked + askedCount).initialize(to: Int32(truncatingIfNeeded: index))
            askedCount &+= 1
        }
        if !isOwnerKnown { keys.append(app: app, owner, kind: Tables.userRecords.kind, Text()) }
        let areThere = marks.bindMemory(to: Bool.self, capacity: keys.count)
        try transaction.find(keys, areThere)
        for pair in 0..<askedCount {
            let isMine = areThere[pair &* sides]
            let isTheirs = readsBoth && areThere[pair &* sides &+ 1]
            findings[Int(asked[pair])] =
                isMine ? isTheirs ? .bothWay : .myUni : isTheirs ? .otherUni : .none
        }
        if !isOwnerKnown { isOwnerKnown = areThere[keys.count - 1] }
    }

    /// Finds the users that are not accounts.
    ///
    /// A user in the owner's list is an account, so only the user records of the others are read. A
    /// row of another user does not show that: it may be left of an account that is being deleted.
    private func readUserRecords(_ transaction: any ReadTransaction) throws(StorageError) {
        guard !app.settings.makesAccountsImplicitly else { return }
        var (open, bytes) = (0, 0)
        for index in 0..<count where findings[index].isOpen {
            open += 1
            bytes += users[index].count
        }
        guard open > 0 else { return }
        bytes += open * StagedKeys.bytesBesideNames
        guard var keys = StagedKeys(keys: open, bytes: bytes, in: arena),
            let memory = arena.allocate(open * MemoryLayout<Int32>.stride),
            let marks = arena.allocate(open)
        else { throw .callIsFull }
        // The user of each key.
        let asked = memory.bindMemory(to: Int32.self, capacity: open)
        for index in 0..<count where findings[index].isOpen {
            (asked + keys.count).initialize(to: Int32(index))
            keys.append(app: app.id, users[index], kind: Tables.userRecords.kind, Text())
        }
        let areThere = marks.bindMemory(to: Bool.self, capacity: open)
        try transaction.find(keys, areThere)
        for number in 0..<open where !areThere[number] {
            findings[Int(asked[number])] = .noAccount
        }
    }
}

extension StorageError {
    /// The rows that a call asks for do not fit into its memory.
    static let callIsFull = StorageError(
        .failed, "the keys of a call do not fit into its memory")
}
