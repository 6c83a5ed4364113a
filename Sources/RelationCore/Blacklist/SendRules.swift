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
        /// Allowed; the receiver has muted the sender.
        case muted
        /// Allowed; the receiver ignores the sender.
        case ignored
        /// Allowed; the receiver has muted the sender, and ignores it.
        case mutedAndIgnored
        /// The sender is suspended.
        case isSuspended

        package var code: SendStatus {
            switch self {
            case .malformed: .invalidParameter
            case .allowed, .muted, .ignored, .mutedAndIgnored: .success
            case .noAccount: .accountNotFound
            case .blacklisted: .inPeerBlacklist
            case .noFriends: .notFriend
            case .isNoFriendOfPeer: .notPeerFriend
            case .peerIsNoFriend: .notSelfFriend
            case .isSuspended: .shutUp
            }
        }

        package var reason: Reason {
            switch self {
            case .malformed: Reason.SendCheck.userIDIllegal
            case .allowed, .muted, .ignored, .mutedAndIgnored: .none
            case .noAccount: Reason.SendCheck.accountNotExist
            case .blacklisted: Reason.SendCheck.inPeerBlacklist
            case .noFriends: Reason.SendCheck.notFriend
            case .isNoFriendOfPeer: Reason.SendCheck.notPeerFriend
            case .peerIsNoFriend: Reason.SendCheck.notSelfFriend
            case .isSuspended: Reason.Suspended.sendCheck
            }
        }

        /// The answer about a receiver that has this row of the sender, where the sender may send.
        fileprivate init(allowedBy row: FriendRecord?, at now: Timestamp) {
            switch (row?.isMuted(at: now) ?? false, row?.ignored ?? false) {
            case (false, false): self = .allowed
            case (true, false): self = .muted
            case (false, true): self = .ignored
            case (true, true): self = .mutedAndIgnored
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
    @inline(__always)
    private static func answer(
        exists: Bool, isBlocking: Bool, checksFriendship: Bool, isMine: Bool, isTheirs: Bool,
        noting ladder: inout some RungRecorder
    ) -> Answer {
        guard ladder.passes(.peerAccount, exists) else { return .noAccount }
        guard ladder.passes(.peerBlacklist, !isBlocking) else { return .blacklisted }
        guard ladder.passes(.friendshipRequired, checksFriendship) else { return .allowed }
        ladder.ends(.friendship)
        switch (isMine, isTheirs) {
        case (true, true): return .allowed
        case (false, false): return .noFriends
        case (true, false): return .isNoFriendOfPeer
        case (false, true): return .peerIsNoFriend
        }
    }

    /// Whether `sender` may send to each of `receivers`.
    ///
    /// - Parameters:
    ///   - now: The time at which a mute is over or not.
    ///   - reveals: Whether the receivers' blacklists count, and their mutes are shown: no user
    ///     learns of them.
    package static func check(
        from sender: UserID, to receivers: [UserID], at now: Timestamp, app: App,
        reveals: Bool = true, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Answer] {
        var ladder = NoRungs()
        return try check(
            from: sender, to: receivers, at: now, app: app, reveals: reveals, noting: &ladder,
            in: transaction)
    }

    private static func check(
        from sender: UserID, to receivers: [UserID], at now: Timestamp, app: App, reveals: Bool,
        noting ladder: inout some RungRecorder, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Answer] {
        let checksFriendship = app.settings.checksFriendshipOnSend
        let everyUserExists = app.settings.makesAccountsImplicitly
        let mine = sender.text.utf8
        var keys = KeyList()
        let marks = checksFriendship ? 4 : 2
        let rows = reveals ? marks + 1 : marks
        keys.reserve(receivers.count * rows)
        for receiver in receivers {
            let theirs = receiver.text.utf8
            Tables.userRecords.add(app.id, theirs, OnlyKey(), to: &keys)
            Tables.blacklist.add(app.id, theirs, sender, to: &keys)
            if checksFriendship {
                Tables.friends.add(app.id, mine, receiver, to: &keys)
                Tables.friends.add(app.id, theirs, sender, to: &keys)
            }
            if reveals { Tables.mentions.add(app.id, mine, Mention(.muting, receiver), to: &keys) }
        }
        let found = try keys.found(in: transaction)
        var answers: [Answer] = []
        answers.reserveCapacity(receivers.count)
        var muting: [(index: Int, receiver: UserID)] = []
        for (number, receiver) in receivers.enumerated() {
            let row = number * rows
            let asksFriendship = checksFriendship && receiver != sender
            let answer = answer(
                exists: everyUserExists || found[row], isBlocking: reveals && found[row + 1],
                checksFriendship: asksFriendship, isMine: asksFriendship && found[row + 2],
                isTheirs: asksFriendship && found[row + 3], noting: &ladder)
            if reveals, answer == .allowed, ladder.records(.peerMarks, found[row + marks]) {
                muting.append((number, receiver))
            }
            answers.append(answer)
        }
        try readMutes(muting, of: sender, at: now, app: app, in: &answers, transaction)
        return answers
    }

    /// Reads the rows that `muting` have of `sender`, and sets their answers by them.
    private static func readMutes(
        _ muting: [(index: Int, receiver: UserID)], of sender: UserID, at now: Timestamp, app: App,
        in answers: inout [Answer], _ transaction: any ReadTransaction
    ) throws(StorageError) {
        guard !muting.isEmpty else { return }
        var keys = KeyList()
        for (_, receiver) in muting {
            Tables.friends.add(app.partition(of: receiver), sender, to: &keys)
        }
        let rows = try Tables.friends.records(keys, in: transaction)
        for (entry, row) in zip(muting, rows) {
            answers[entry.index] = Answer(allowedBy: row, at: now)
        }
    }

    // MARK: From adjacency lists

    /// Calls `body` with the answer of each of `receivers`, in their order.
    ///
    /// - Parameter body: Its answers count only if the result is an answer: adjacency lists do not
    ///   say whether a mute is over.
    package static func cached(
        from sender: UserID, to receivers: UnsafeBufferPointer<Text>, app: App,
        reveals: Bool = true, from adjacency: AdjacencyCache, _ arena: Arena,
        _ body: (Answer) -> Void
    ) throws(StorageError) -> CacheResult<Void> {
        try KnownPairs.cached(
            receivers, of: sender, provedBy: [], app: app, from: adjacency, arena
        ).map { pairs in
            answer(pairs, to: receivers, app: app, reveals, body) { _ in false } ? () : nil
        }
    }

    /// Calls `body` with the answer of each of `receivers`, in their order.
    ///
    /// - Parameters:
    ///   - now: The time at which a mute is over or not.
    ///   - adjacency: The adjacency lists that answer for the rows of users in use.
    /// - Returns: Whether the sender is an account; if not, `body` was not called.
    package static func check(
        from sender: UserID, to receivers: UnsafeBufferPointer<Text>, at now: Timestamp, app: App,
        reveals: Bool = true, asking adjacency: CacheLookup?,
        in transaction: any ReadTransaction,
        _ arena: Arena,
        _ body: (Answer) -> Void
    ) throws(StorageError) -> Bool {
        if let adjacency {
            let known = try KnownPairs.read(
                receivers, of: sender, provedBy: [], app: app, asking: adjacency, in: transaction,
                arena)
            if let known {
                try answerWithMutes(
                    known, to: receivers, of: sender, at: now, app: app, reveals, in: transaction,
                    body)
                return true
            }
        }
        if transaction.readsAhead {
            var rows: PairRows = [.userRecords, .blacklists]
            if app.settings.checksFriendshipOnSend { rows.insert(.friends) }
            if reveals { rows.insert(.muting) }
            transaction.expect(
                rows, of: sender, and: receivers.compactMap { UserID(String($0)) }, app: app)
        }
        var ladder = NoRungs()
        return try check(
            from: sender, to: receivers.map { UserID(String($0)) }, at: now, app: app,
            reveals: reveals, noting: &ladder, in: transaction, body)
    }

    /// Calls `body` with the answer of each of `receivers`, in their order, from rows.
    ///
    /// - Parameters:
    ///   - receivers: Nil for a malformed id.
    ///   - ladder: It hears of each rung in the order of the rule; of several receivers, of all.
    /// - Returns: Whether the sender is an account; if not, `body` was not called.
    static func check(
        from sender: UserID, to receivers: [UserID?], at now: Timestamp, app: App, reveals: Bool,
        noting ladder: inout some RungRecorder, in transaction: any ReadTransaction,
        _ body: (Answer) -> Void
    ) throws(StorageError) -> Bool {
        let record = try Accounts.record(of: sender, app: app, in: transaction)
        guard ladder.passes(.ownAccount, record != nil), let record else { return false }
        var users: [UserID] = []
        users.reserveCapacity(receivers.count)
        for receiver in receivers where ladder.passes(.peerID, receiver != nil) {
            if let receiver { users.append(receiver) }
        }
        // The adjacency list of a suspended user is never kept, so each of its calls comes here.
        guard ladder.passes(.ownSuspension, !record.isSuspended(at: now)) else {
            for receiver in receivers { body(receiver == nil ? .malformed : .isSuspended) }
            return true
        }
        let answers = try check(
            from: sender, to: users, at: now, app: app, reveals: reveals, noting: &ladder,
            in: transaction)
        var next = answers.makeIterator()
        for receiver in receivers { body(receiver == nil ? .malformed : next.next() ?? .noAccount) }
        return true
    }

    /// Calls `body` with the answer of each of `receivers`, and reads the rows of those that may
    /// have muted the sender.
    private static func answerWithMutes(
        _ pairs: KnownPairs, to receivers: UnsafeBufferPointer<Text>, of sender: UserID,
        at now: Timestamp, app: App, _ reveals: Bool, in transaction: any ReadTransaction,
        _ body: (Answer) -> Void
    ) throws(StorageError) {
        guard reveals, receivers.indices.contains(where: { pairs.facts($0).isMuting }) else {
            _ = answer(pairs, to: receivers, app: app, reveals, body) { _ in true }
            return
        }
        var answers: [Answer] = []
        answers.reserveCapacity(receivers.count)
        var muting: [(index: Int, receiver: UserID)] = []
        _ = answer(pairs, to: receivers, app: app, reveals, { answers.append($0) }) { index in
            if let receiver = UserID(String(receivers[index])) { muting.append((index, receiver)) }
            return true
        }
        try readMutes(muting, of: sender, at: now, app: app, in: &answers, transaction)
        for answer in answers { body(answer) }
    }

    /// Calls `body` with the answer of each of `receivers`, as far as adjacency lists say it.
    ///
    /// - Parameter muting: It is called with the index of a receiver that mutes the sender, perhaps
    ///   no longer, or ignores it, before `body` gets ``Answer/allowed`` for it. It says whether to
    ///   go on.
    /// - Returns: Whether all answers were given.
    @inline(__always)
    private static func answer(
        _ pairs: KnownPairs, to receivers: UnsafeBufferPointer<Text>, app: App,
        _ reveals: Bool, _ body: (Answer) -> Void, muting: (Int) -> Bool
    ) -> Bool {
        let checksFriendship = app.settings.checksFriendshipOnSend
        var ladder = NoRungs()
        for index in receivers.indices {
            guard pairs.state(index) != .malformed else {
                body(.malformed)
                continue
            }
            let facts = pairs.facts(index)
            let answer = answer(
                exists: pairs.state(index) == .found,
                isBlocking: reveals && facts.isBlocking,
                checksFriendship: checksFriendship && !pairs.isOwner(index),
                isMine: facts.isMine, isTheirs: facts.isTheirs, noting: &ladder)
            if facts.isMuting, reveals, answer == .allowed, !muting(index) { return false }
            body(answer)
        }
        return true
    }
}
