import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel
import RelationRuntime

/// The calls of BlacklistService.
package enum BlacklistHandlers {
    package static func register(in router: Router) {
        router.write(
            BlacklistMethods.addToBlacklist, asking: .addToBlacklist, subject: subject
        ) { request, call, judgement, violations in addJudged(request, call, &violations, judgement)
        }
        router.write(BlacklistMethods.removeFromBlacklist, remove)
        let profiles = router.committer.memory.profiles
        router.read(BlacklistMethods.listBlacklistView) { request, call, violations in
            list(request, profiles, call, &violations)
        }
        router.read(
            BlacklistMethods.checkBlacklistView, validating: validateCheck, fromCache: cachedCheck,
            fromRows: check)
        router.read(
            BlacklistMethods.canSendView, validating: validateCanSend, fromCache: cachedCanSend,
            fromRows: canSend)
    }

    static func add(
        _ request: AddToBlacklistRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<AddToBlacklistResponse> {
        addJudged(request, call, &violations, .none)
    }

    private static func items(
        _ request: AddToBlacklistRequest
    ) -> [ValidatedItem<UserID, FriendStatus>] {
        request.userIDs.prepared(illegal: Reason.BlacklistAdd.userIDIllegal)
    }

    /// The part of AddToBlacklist that a hook is asked about.
    static func subject(
        _ request: AddToBlacklistRequest, _ call: Call, _ judgement: HookJudgement
    ) -> HookSubject? {
        HookSubject(.addToBlacklist, call, items(request).distinct()) { index in
            HookAsk.Item(request.userIDs[index])
        }
    }

    static func addJudged(
        _ request: AddToBlacklistRequest, _ call: Call, _ violations: inout Violations,
        _ judgement: HookJudgement
    ) -> Work<AddToBlacklistResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.blacklistItems)
        let owner = call.user
        let items = items(request).judged(by: judgement)
        var work = Work<AddToBlacklistResponse>.each(items, named: request.userIDs) {
            (user, ledger) throws(StorageError) in
            try Blacklist.add(user, to: owner, in: ledger)
        }
        Blacklist.keysForAdding(items.values(), to: owner, app: call.app, into: &work.keys)
        return work.quoting(judgement)
    }

    static func remove(
        _ request: RemoveFromBlacklistRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RemoveFromBlacklistResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.blacklistItems)
        let owner = call.user
        let items = request.userIDs.prepared(illegal: Reason.BlacklistDelete.userIDIllegal)
        var work = Work<RemoveFromBlacklistResponse>.each(items, named: request.userIDs) {
            (user, ledger) throws(StorageError) in
            try Blacklist.remove(user, from: owner, in: ledger)
        }
        Blacklist.keysForRemoving(items.values(), from: owner, app: call.app, into: &work.keys)
        return work
    }

    /// Lists the entries in order of the time at which the users were added.
    static func list(
        _ request: ListBlacklistRequest, _ profiles: StoredProfiles, _ call: Call,
        _ violations: inout Violations
    ) -> Reading<ListBlacklistResponseView> {
        let joined = JoinedProfiles(request, profiles, call, &violations)
        let query = "ListBlacklist \(mark: call.app) \(call.user)"
        let page = Page(request.pageSize, request.pageToken, of: query, &violations)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            var rows = PageRows<BlacklistEntry>(page, call.arena)
            try Blacklist.scan(
                of: call.user, after: page.position, limit: page.rows + 1, app: call.app,
                in: transaction
            ) { key, bytes in rows.add(bytes, at: key) }
            var response = ListBlacklistResponseView()
            response.entries = try rows.finished()
            response.nextPageToken = rows.nextToken(of: query)
            if let joined {
                let (entries, next) = try joined.joined(
                    to: response.entries, call.arena, in: transaction)
                response.entries = entries
                if let next { response.nextPageToken = PageToken(next).text(of: query) }
            }
            response.totalSize = Int32(userRecord.blacklistCount)
            response.sequence = userRecord.blacklistSequence
            return response
        }
    }

    // MARK: Questions about several users

    /// - Returns: Whether the check looks at both sides: a user may not learn which users block it.
    static func validateCheck(
        _ request: borrowing CheckBlacklistRequestView, _ call: Call, _ violations: inout Violations
    ) -> Bool {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.blacklistItems)
        violations.known(request.checkType, "check_type")
        return request.checkType != .single && !call.isOwn
    }

    static func cachedCheck(
        _ request: borrowing CheckBlacklistRequestView, _ both: Bool, _ call: Call,
        _ adjacency: AdjacencyCache
    ) throws(StorageError) -> CacheResult<Encoded<CheckBlacklistResponseView>> {
        try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
            var answers = try TemplateIndexes(room: names.count, call.arena)
            return try Blacklist.cached(
                names, of: call.user, both: both, app: call.app, from: adjacency, call.arena
            ) { answers.add(BlacklistAnswer.number($0, $1)) }
            .map { () throws(StorageError) in
                try answers.answer(names, BlacklistAnswer.endings, call.arena)
            }
        }
    }

    static func check(
        _ request: borrowing CheckBlacklistRequestView, _ both: Bool, _ call: Call,
        _ adjacency: CacheLookup?, _ transaction: any ReadTransaction
    ) throws(StorageError) -> ReadAnswer<CheckBlacklistResponseView>? {
        try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
            var answers = try TemplateIndexes(room: names.count, call.arena)
            let exists = try Blacklist.check(
                names, of: call.user, both: both, app: call.app, asking: adjacency,
                in: transaction, call.arena
            ) { answers.add(BlacklistAnswer.number($0, $1)) }
            return exists
                ? .encoded(try answers.answer(names, BlacklistAnswer.endings, call.arena)) : nil
        }
    }

    /// - Returns: Whether the answer tells of blocks and mutes.
    static func validateCanSend(
        _ request: borrowing CanSendRequestView, _ call: Call, _ violations: inout Violations
    ) -> Bool {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.canSendItems)
        return !call.isOwn
    }

    static func cachedCanSend(
        _ request: borrowing CanSendRequestView, _ reveals: Bool, _ call: Call,
        _ adjacency: AdjacencyCache
    ) throws(StorageError) -> CacheResult<Encoded<CanSendResponseView>> {
        try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
            var answers = try TemplateIndexes(room: names.count, call.arena)
            return try SendRules.cached(
                from: call.user, to: names, app: call.app, reveals: reveals,
                from: adjacency, call.arena
            ) { answers.add(SendAnswer.number($0)) }
            .map { () throws(StorageError) in
                try answers.answer(names, SendAnswer.endings, call.arena)
            }
        }
    }

    static func canSend(
        _ request: borrowing CanSendRequestView, _ reveals: Bool, _ call: Call,
        _ adjacency: CacheLookup?, _ transaction: any ReadTransaction
    ) throws(StorageError) -> ReadAnswer<CanSendResponseView>? {
        try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
            var answers = try TemplateIndexes(room: names.count, call.arena)
            let exists = try SendRules.check(
                from: call.user, to: names, at: call.now, app: call.app, reveals: reveals,
                asking: adjacency, in: transaction, call.arena
            ) { answers.add(SendAnswer.number($0)) }
            return exists
                ? .encoded(try answers.answer(names, SendAnswer.endings, call.arena)) : nil
        }
    }
}

extension JoinedProfiles {
    /// The first of the rows, each followed by its profile, until the page is full; and the
    /// position of the last one if others have no room.
    fileprivate func joined(
        to rows: [Encoded<BlacklistEntry>], _ arena: Arena, in transaction: any ReadTransaction
    ) throws(StorageError) -> (entries: [Encoded<BlacklistEntry>], next: TimedUser?) {
        let keys = try rows.map { (row) throws(StorageError) in
            do throws(CodecError) {
                let entry = try row.decoded(arena)
                return TimedUser(
                    timeMs: entry.addTimeMs, user: UserID(stored: entry.userID))
            } catch {
                throw StorageError.damaged("a row of a blacklist does not decode")
            }
        }
        var bytes = 0
        let profiles = try page(of: keys.map(\.user), &bytes, in: transaction) { rows[$0].count }
        let entries = try zip(rows, profiles).map { (row, profile) throws(StorageError) in
            do throws(CodecError) {
                var splice = try Splice(
                    room: row.count + Splice.prefixBytes + profile.count, in: arena)
                row.withBytes { splice.append($0) }
                profile.withBytes { splice.append(BlacklistEntry.profileField, $0) }
                return splice.finished(as: BlacklistEntry.self)
            } catch {
                throw FriendPage.outOfMemory
            }
        }
        return (entries, entries.count < rows.count ? keys[entries.count - 1] : nil)
    }
}

extension BlacklistEntry {
    fileprivate static let profileField = SplicedField(schema, "profile")
}
