package import Memory
import Protobuf
package import RelationModel
import Storage

/// Rules that say which users may send messages to which: a message server asks them before it
/// delivers.
package enum SendRules {
    /// The answer about one receiver.
    package enum Answer: CaseIterable, Sendable {
        case malformed
        case allowed
        case noAccount
        case blacklisted
        case noFriends
        /// The sender is not in the receiver's list.
        case isNoFriendOfPeer
        /// The receiver is not in the sender's list.
        case peerIsNoFriend

        package var code: SendStatus {
            switch self {
            case .malformed: .invalidParameter
            case .allowed: .success
            case .noAccount: .accountNotFound
            case .blacklisted: .inPeerBlacklist
            case .noFriends: .notFriend
            case .isNoFriendOfPeer: .notPeerFriend
            case .peerIsNoFriend: .notSelfFriend
            }
        }

        package var reason: Reason {
            switch self {
            case .malformed: Reason.SendCheck.userIDIllegal
            case .allowed: .none
            case .noAccount: Reason.SendCheck.accountNotExist
            case .blacklisted: Reason.SendCheck.inPeerBlacklist
            case .noFriends: Reason.SendCheck.notFriend
            case .isNoFriendOfPeer: Reason.SendCheck.notPeerFriend
            case .peerIsNoFriend: Reason.SendCheck.notSelfFriend
            }
        }
    }

    /// Whether a sender may send to one receiver.
    ///
    /// A user may always send to itself. It may also send to a user that it has blacklisted: a
    /// blacklist keeps others away from its owner, and not the owner from others.
    ///
    /// - Returns: ``Answer/allowed``, or the first of these that applies: ``Answer/noAccount``,
    ///   ``Answer/blacklisted``, and if the app requires a friendship ``Answer/noFriends``,
    ///   ``Answer/isNoFriendOfPeer``, ``Answer/peerIsNoFriend``.
    private static func answer(
        exists: Bool, isBlocking: Bool, checksFriendship: Bool, isMine: Bool, isTheirs: Bool
    ) -> Answer {
        guard exists else { return .noAccount }
        guard !isBlocking else { return .blacklisted }
        guard checksFriendship else { return .allowed }
        switch (isMine, isTheirs) {
        case (true, true): return .allowed
        case (false, false): return .noFriends
        case (true, false): return .isNoFriendOfPeer
        case (false, true): return .peerIsNoFriend
        }
    }

    /// Whether `sender` may send to each of `receivers`.
    ///
    /// - Parameter revealsBlocks: Whether the receivers' blacklists count: no user learns of them.
    package static func check(
        from sender: UserID, to receivers: [UserID], app: App, revealsBlocks: Bool = true,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Answer] {
        let checksFriendship = app.settings.checksFriendshipOnSend
        let everybodyExists = app.settings.makesAccountsImplicitly
        let mine = sender.text.utf8
        var keys = KeyList()
        keys.reserve(receivers.count * (checksFriendship ? 4 : 2))
        for receiver in receivers {
            let theirs = receiver.text.utf8
            Tables.userRecords.add(app.id, theirs, OnlyKey(), to: &keys)
            Tables.blacklist.add(app.id, theirs, sender, to: &keys)
            if checksFriendship {
                Tables.friends.add(app.id, mine, receiver, to: &keys)
                Tables.friends.add(app.id, theirs, sender, to: &keys)
            }
        }
        let found = try keys.found(in: transaction)
        return receivers.enumerated().map { number, receiver in
            let row = number * (checksFriendship ? 4 : 2)
            let asksFriendship = checksFriendship && receiver != sender
            return answer(
                exists: everybodyExists || found[row], isBlocking: revealsBlocks && found[row + 1],
                checksFriendship: asksFriendship, isMine: asksFriendship && found[row + 2],
                isTheirs: asksFriendship && found[row + 3])
        }
    }

    // MARK: From adjacency lists

    /// Calls `body` with the answer of each of `receivers`, in their order.
    ///
    /// - Parameter body: It is called only if adjacency lists say all of the answer.
    package static func cached(
        from sender: UserID, to receivers: UnsafeBufferPointer<Text>, app: App,
        revealsBlocks: Bool = true, from adjacency: AdjacencyCache, _ arena: Arena,
        _ body: (Answer) -> Void
    ) throws(StorageError) -> CacheResult<Void> {
        try KnownPairs.cached(
            receivers, of: sender, provedBy: [], app: app, from: adjacency, arena
        ).map { answer($0, to: receivers, app: app, revealsBlocks, body) }
    }

    /// Calls `body` with the answer of each of `receivers`, in their order.
    ///
    /// - Parameter adjacency: The adjacency lists that answer for the rows of users in use.
    /// - Returns: Whether the sender is an account; if not, `body` was not called.
    package static func check(
        from sender: UserID, to receivers: UnsafeBufferPointer<Text>, app: App,
        revealsBlocks: Bool = true, asking adjacency: CacheLookup?,
        in transaction: any ReadTransaction,
        _ arena: Arena,
        _ body: (Answer) -> Void
    ) throws(StorageError) -> Bool {
        if let adjacency {
            let known = try KnownPairs.read(
                receivers, of: sender, provedBy: [], app: app, asking: adjacency, in: transaction,
                arena)
            if let known {
                answer(known, to: receivers, app: app, revealsBlocks, body)
                return true
            }
        }
        if transaction.readsAhead {
            transaction.expect(
                app.settings.checksFriendshipOnSend
                    ? [.userRecords, .blacklists, .friends] : [.userRecords, .blacklists],
                of: sender, and: receivers.compactMap { UserID(String($0)) }, app: app)
        }
        guard try Accounts.exists(sender, of: app, in: transaction) else { return false }
        let users = receivers.map { UserID(String($0)) }
        let answers = try check(
            from: sender, to: users.compactMap { $0 }, app: app, revealsBlocks: revealsBlocks,
            in: transaction)
        var next = answers.makeIterator()
        for user in users { body(user == nil ? .malformed : next.next() ?? .noAccount) }
        return true
    }

    private static func answer(
        _ pairs: KnownPairs, to receivers: UnsafeBufferPointer<Text>, app: App,
        _ revealsBlocks: Bool, _ body: (Answer) -> Void
    ) {
        let checksFriendship = app.settings.checksFriendshipOnSend
        for index in receivers.indices {
            guard pairs.standing(index) != .malformed else {
                body(.malformed)
                continue
            }
            let facts = pairs.facts(index)
            body(
                answer(
                    exists: pairs.standing(index) == .found,
                    isBlocking: revealsBlocks && facts.isBlocking,
                    checksFriendship: checksFriendship && !pairs.isOwner(index),
                    isMine: facts.isMine, isTheirs: facts.isTheirs))
        }
    }
}
