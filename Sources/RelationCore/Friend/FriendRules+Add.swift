package import RelationModel
import Storage

extension FriendRules {
    /// Adds `addition.user` to `owner`'s friends and, for ``AddType/both``, the reverse; or sends
    /// an application to it; or refuses.
    ///
    /// Remark, groups and custom values go onto `owner`'s row; if an application is sent, they wait
    /// for its answer. Both rows keep source and wording. A row that exists is left as it is.
    ///
    /// - Parameter force: Whether to treat the other user's allow type as ``AllowType/allowAny``,
    ///   and to look past its suspension and the quarantine. It skips no other check.
    /// - Returns: The first of these that applies:
    ///   - ``FriendStatus/invalidParameter`` if the two are the same user,
    ///     ``FriendStatus/accountNotFound``, ``FriendStatus/addRestricted`` if the other user is
    ///     suspended and `force` is not set, ``FriendStatus/addDenied``,
    ///     ``FriendStatus/inSelfBlacklist``, ``FriendStatus/inOtherSideBlacklist``;
    ///   - ``FriendStatus/invalidParameter`` if they are friends already,
    ///     ``FriendStatus/sensitiveText``;
    ///   - ``FriendStatus/friendSideForbidsAdd``, unless for ``AddType/both`` the other user's own
    ///     application waits;
    ///   - ``FriendStatus/addRestricted`` if the owner's account is too new, likewise, and unless
    ///     `force` is set;
    ///   - if an application is needed: ``FriendStatus/addRestricted`` if the app allows no more of
    ///     them today, or none so early after a refusal, ``FriendStatus/pendencyLimit``,
    ///     ``FriendStatus/pending``;
    ///   - otherwise ``FriendStatus/selfFriendFull``, ``FriendStatus/theirFriendFull``,
    ///     ``FriendStatus/groupLimit``, ``FriendStatus/invalidParameter`` if the app has no room
    ///     for a review of a text, ``FriendStatus/success``.
    ///
    ///   ``Ledger/blocks`` moves ``FriendStatus/inOtherSideBlacklist`` after all others but
    ///   ``FriendStatus/pending`` and ``FriendStatus/success``, or takes it out.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func add(
        _ addition: FriendItem, to owner: UserID, _ type: AddType, force: Bool,
        in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        var ladder = NoRungs()
        return try add(addition, to: owner, type, force: force, noting: &ladder, in: ledger)
    }

    /// ``add(_:to:_:force:in:)``, which notes its rungs, and writes only if `ladder` lets it.
    static func add(
        _ addition: FriendItem, to owner: UserID, _ type: AddType, force: Bool,
        noting ladder: inout some RungRecorder, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let other = addition.user
        let transaction = ledger.transaction
        let app = ledger.app
        guard ladder.passes(.otherUser, other != owner) else {
            return Outcome(.invalidParameter, Reason.FriendAdd.oneself)
        }
        guard try ladder.passes(.peerAccount, Accounts.ensureExists(other, in: ledger)) else {
            return Outcome(.accountNotFound, Reason.FriendAdd.accountNotExist)
        }
        if !force, try !ladder.passes(.peerSuspension, !Suspensions.isShielded(other, in: ledger)) {
            return Outcome(.addRestricted, Reason.Suspended.friendAdd)
        }
        let mine = try Profiles.record(of: owner, app: app, in: transaction)
        guard ladder.passes(.addForbidden, mine.adminForbidType != .sendOut) else {
            return Outcome(.addDenied, Reason.FriendAdd.denied)
        }
        let isBlocking = try Blacklist.contains(other, of: owner, in: ledger)
        guard ladder.passes(.ownBlacklist, !isBlocking) else {
            return Outcome(.inSelfBlacklist, Reason.FriendAdd.inSelfBlacklist)
        }
        let isBlocked = try Blacklist.contains(owner, of: other, in: ledger)
        guard ladder.passes(block: isBlocked, .first, in: ledger) else { return .blocked }
        let missing = try missingRows(owner, other, type, in: ledger)
        guard ladder.passes(.missingRow, missing.mine || missing.theirs) else {
            return Outcome(.invalidParameter, Reason.FriendAdd.friendExist)
        }
        guard !addition.values.areForbidden(by: ledger.settings) else {
            return Outcome(.sensitiveText, Reason.FriendAdd.sensitiveText)
        }
        var met = false
        if type == .both {
            met = ladder.records(
                .peerApplication, try Applications.waits(from: other, to: owner, in: ledger))
        }
        let theirs = try Profiles.record(of: other, app: app, in: transaction)
        let allowType = force ? .allowAny : theirs.allowType ?? ledger.settings.defaultAllowType
        guard force || ladder.passes(.peerAllowType, met || allowType != .denyAny) else {
            return Outcome(.friendSideForbidsAdd, Reason.FriendAdd.allowTypeForbid)
        }
        if !met, !force, try !ladder.passes(.quarantine, !isInQuarantine(owner, in: ledger)) {
            return Outcome(.addRestricted, Reason.FriendAdd.newAccount)
        }
        guard met || allowType == .allowAny else {
            return try Applications.apply(
                addition, from: owner, isBlocked: isBlocked, noting: &ladder, in: ledger)
        }
        let refusal = try refusal(of: addition, missing, owner, noting: &ladder, in: ledger)
        if let refusal { return refusal }
        guard ladder.passes(block: isBlocked, .last, in: ledger) else { return .blocked }
        if ladder.reachesWrite() { try write(addition, missing, owner, in: ledger) }
        return .success
    }

    /// Whether the account of `user` is so new that it may not add other users.
    private static func isInQuarantine(
        _ user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let quarantine = ledger.settings.newAccountQuarantineMs
        guard quarantine > 0, let userRecord = try ledger.userRecord(of: user) else { return false }
        return ledger.now.milliseconds - userRecord.createdMs < quarantine
    }

    /// The rows that an addition would write.
    private struct MissingRows {
        let mine: Bool
        let theirs: Bool
    }

    private static func missingRows(
        _ owner: UserID, _ other: UserID, _ type: AddType, in ledger: Ledger
    ) throws(StorageError) -> MissingRows {
        let app = ledger.app
        let transaction = ledger.transaction
        return MissingRows(
            mine: try !Friendship.contains(other, of: owner, app: app, in: transaction),
            theirs: type == .both
                ? try !Friendship.contains(owner, of: other, app: app, in: transaction) : false)
    }

    /// The reason why the rows of an addition cannot be written now; nil if they can.
    private static func refusal(
        of addition: FriendItem, _ missing: MissingRows, _ owner: UserID,
        noting ladder: inout some RungRecorder, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome? {
        if missing.mine, try !ladder.passes(.ownFriendRoom, !Friendship.isFull(owner, in: ledger)) {
            return Outcome(.selfFriendFull, Reason.FriendAdd.selfFriendFull)
        }
        let other = addition.user
        if missing.theirs,
            try !ladder.passes(.peerFriendRoom, !Friendship.isFull(other, in: ledger))
        {
            return Outcome(.theirFriendFull, Reason.FriendAdd.peerFriendFull)
        }
        let groups = missing.mine ? addition.values.groups ?? [] : []
        guard try Groups.fit(groups, of: owner, in: ledger) else {
            return Outcome(.groupLimit, Reason.FriendAdd.groupLimit)
        }
        let wording = try FriendReviews.plan(
            wordingOf: addition, over: wording(before: addition, of: owner, in: ledger), of: owner,
            in: ledger)
        let hasRoom = try FriendReviews.haveRoom(
            for: addition.values, other, of: owner,
            isReviewed: missing.mine && addition.isReviewed, beside: wording?.growth ?? 0,
            in: ledger)
        guard hasRoom else { return Outcome(.invalidParameter, Reason.ReviewDecide.friendsFull) }
        return nil
    }

    private static func wording(
        before addition: FriendItem, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> String {
        guard FriendReviews.reviewsWording(of: addition, in: ledger) else { return "" }
        let sent = try Applications.record(from: owner, to: addition.user, in: ledger)
        return try FriendReviews.wording(before: addition, sent, of: owner, in: ledger)
    }

    /// Writes the missing rows and ends the applications that they answer.
    private static func write(
        _ addition: FriendItem, _ missing: MissingRows, _ owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let other = addition.user
        // The texts that the other user wrote when it applied go onto its own row.
        let application = try Applications.record(from: other, to: owner, in: ledger)
        let former = try wording(before: addition, of: owner, in: ledger)
        var keys = KeyList()
        if missing.mine {
            try Friendship.keysForInserting(other, of: owner, in: ledger, into: &keys)
        }
        if missing.theirs {
            try Friendship.keysForInserting(
                owner, of: other, groups: application?.groups ?? [], in: ledger, into: &keys)
        }
        try ledger.fetch(keys)
        if missing.mine {
            try Friendship.insert(
                other, of: owner, addition.values, isOfBoth: missing.theirs,
                isReviewed: addition.isReviewed, in: ledger)
        }
        if missing.theirs {
            var values = FriendValues()
            values.source = addition.values.source
            values.wording = addition.values.wording
            if let application {
                values = try Applications.values(of: application, for: other, in: ledger)
            }
            // Its texts are reviewed even beyond the app's limit: this call is not about them.
            try Friendship.insert(
                owner, of: other, values, isOfBoth: missing.mine, isReviewed: application != nil,
                in: ledger)
        }
        let plan = try FriendReviews.plan(
            wordingOf: addition, over: former, of: owner, in: ledger)
        try FriendReviews.carryOut(plan, other, of: owner, in: ledger)
        try Applications.endAnswered(byRowOf: owner, for: other, in: ledger)
    }

    /// Adds the rows that `additions` to the friends of `owner` read, so that an engine can fetch
    /// them at once.
    package static func keysForAdding(
        _ additions: [FriendItem], to owner: UserID, app: App, into keys: inout KeyList
    ) {
        guard !additions.isEmpty else { return }
        keys.reserve(4 + additions.count * 12)
        let mine = app.partition(of: owner)
        Tables.profiles.add(mine, OnlyKey(), to: &keys)
        Feed.addState(of: app, to: &keys)
        Reviews.keysForUpdating(app, into: &keys)
        for addition in additions {
            let other = addition.user
            let theirs = app.partition(of: other)
            Accounts.keysForNaming(other, app: app, into: &keys)
            Tables.profiles.add(theirs, OnlyKey(), to: &keys)
            Friendship.keys(between: owner, other, app: app, into: &keys)
            // User records say whether there may be such rows, and mostly there are none.
            keys.addPossible { keys in
                Tables.blacklist.add(mine, other, to: &keys)
                Tables.blacklist.add(theirs, owner, to: &keys)
                Applications.keys(between: owner, other, app: app, into: &keys)
            }
            for group in addition.values.groups ?? [] {
                Tables.groups.add(mine, GroupName(group), to: &keys)
            }
        }
    }
}

extension Outcome<FriendStatus> {
    /// The other user has the caller on its blacklist.
    package static var blocked: FriendOutcome {
        Outcome(.inOtherSideBlacklist, Reason.FriendAdd.inPeerBlacklist)
    }
}
