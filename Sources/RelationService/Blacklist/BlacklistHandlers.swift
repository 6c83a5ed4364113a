import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The calls of BlacklistService.
package enum BlacklistHandlers {
    package static func register(in router: Router) {
        router.write(BlacklistMethods.addToBlacklist, add)
        router.write(BlacklistMethods.removeFromBlacklist, remove)
        router.read(BlacklistMethods.listBlacklistView, list)
        router.read(
            BlacklistMethods.checkBlacklistView, judging: judgeCheck, recalling: recallCheck,
            answering: check)
        router.read(
            BlacklistMethods.canSendView, judging: judgeCanSend, recalling: recallCanSend,
            answering: canSend)
    }

    static func add(
        _ request: AddToBlacklistRequest, _ call: Call, _ faults: inout Violations
    ) -> Work<AddToBlacklistResponse> {
        faults.count(request.userIDs.count, "user_ids", 1...Limits.blacklistItems)
        let owner = call.user
        let items = request.userIDs.prepared(illegal: Reason.BlacklistAdd.userIDIllegal)
        var work = Work<AddToBlacklistResponse>.each(items, named: request.userIDs) {
            (user, ledger) throws(StorageError) in
            try Blacklist.add(user, to: owner, in: ledger)
        }
        Blacklist.keysForAdding(items.values(), to: owner, app: call.app, into: &work.keys)
        return work
    }

    static func remove(
        _ request: RemoveFromBlacklistRequest, _ call: Call, _ faults: inout Violations
    ) -> Work<RemoveFromBlacklistResponse> {
        faults.count(request.userIDs.count, "user_ids", 1...Limits.blacklistItems)
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
        _ request: ListBlacklistRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<ListBlacklistResponseView> {
        let query = "ListBlacklist \(mark: call.app) \(call.user)"
        let page = Page(request.pageSize, request.pageToken, of: query, &faults)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            var rows = PageRows<BlacklistEntry>(page, call.arena)
            try Blacklist.scan(
                of: call.user, after: page.position, limit: page.rows + 1, app: call.app,
                in: transaction
            ) { key, bytes in rows.add(bytes, at: key) }
            var response = ListBlacklistResponseView()
            response.entries = try rows.finished()
            response.nextPageToken = rows.nextToken(of: query)
            response.totalSize = Int32(userRecord.blacklistCount)
            response.sequence = userRecord.blacklistSequence
            return response
        }
    }

    // MARK: Questions about several users

    static func judgeCheck(
        _ request: borrowing CheckBlacklistRequestView, _ call: Call, _ faults: inout Violations
    ) {
        faults.count(request.userIDs.count, "user_ids", 1...Limits.blacklistItems)
        faults.known(request.checkType, "check_type")
    }

    static func recallCheck(
        _ request: borrowing CheckBlacklistRequestView, _ call: Call, _ adjacency: AdjacencyCache
    ) throws(StorageError) -> KnownAnswer<CheckBlacklistResponseView> {
        let both = looksAtBoth(request, call)
        return try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
            var answers = try TemplateIndexes(room: names.count, call.arena)
            let recalled = try Blacklist.recall(
                names, of: call.user, both: both, app: call.app, from: adjacency, call.arena
            ) { answers.add(BlacklistAnswer.number($0, $1)) }
            return try KnownAnswer(recalled) { () throws(StorageError) in
                try answers.answer(names, BlacklistAnswer.endings, call.arena)
            }
        }
    }

    static func check(
        _ request: borrowing CheckBlacklistRequestView, _ call: Call, _ adjacency: CacheLookup?,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Encoded<CheckBlacklistResponseView>? {
        let both = looksAtBoth(request, call)
        return try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
            var answers = try TemplateIndexes(room: names.count, call.arena)
            let exists = try Blacklist.check(
                names, of: call.user, both: both, app: call.app, asking: adjacency,
                in: transaction, call.arena
            ) { answers.add(BlacklistAnswer.number($0, $1)) }
            return exists ? try answers.answer(names, BlacklistAnswer.endings, call.arena) : nil
        }
    }

    /// A user may not learn which users block it.
    private static func looksAtBoth(
        _ request: borrowing CheckBlacklistRequestView, _ call: Call
    ) -> Bool {
        request.checkType != .single && !call.isOwn
    }

    static func judgeCanSend(
        _ request: borrowing CanSendRequestView, _ call: Call, _ faults: inout Violations
    ) {
        faults.count(request.userIDs.count, "user_ids", 1...Limits.canSendItems)
    }

    static func recallCanSend(
        _ request: borrowing CanSendRequestView, _ call: Call, _ adjacency: AdjacencyCache
    ) throws(StorageError) -> KnownAnswer<CanSendResponseView> {
        try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
            var answers = try TemplateIndexes(room: names.count, call.arena)
            let recalled = try SendRules.recall(
                from: call.user, to: names, app: call.app, revealsBlocks: !call.isOwn,
                from: adjacency,
                call.arena
            ) { answers.add(SendAnswer.number($0)) }
            return try KnownAnswer(recalled) { () throws(StorageError) in
                try answers.answer(names, SendAnswer.endings, call.arena)
            }
        }
    }

    static func canSend(
        _ request: borrowing CanSendRequestView, _ call: Call, _ adjacency: CacheLookup?,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Encoded<CanSendResponseView>? {
        try request.userIDs.withUnsafeBufferPointer { (names) throws(StorageError) in
            var answers = try TemplateIndexes(room: names.count, call.arena)
            let exists = try SendRules.check(
                from: call.user, to: names, app: call.app, revealsBlocks: !call.isOwn,
                asking: adjacency,
                in: transaction, call.arena
            ) { answers.add(SendAnswer.number($0)) }
            return exists ? try answers.answer(names, SendAnswer.endings, call.arena) : nil
        }
    }
}
