import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import Storage

/// The calls of BlacklistService.
package enum BlacklistHandlers {
    package static func register(in router: Router) {
        router.write(BlacklistMethods.addToBlacklist, add)
        router.write(BlacklistMethods.removeFromBlacklist, remove)
        router.read(BlacklistMethods.listBlacklistView, list)
        router.read(BlacklistMethods.checkBlacklistView, check)
        router.read(BlacklistMethods.canSendView, canSend)
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
        let query = "ListBlacklist \(call.app.id) \(call.user)"
        let page = Page(request.pageSize, request.pageToken, of: query, &faults)
        let partition = call.app.partition(of: call.user)
        return reading(call) { (head, transaction) throws(StorageError) in
            var rows = PageRows<BlacklistEntry>(page, call.arena)
            try FriendList.scan(
                Tables.blacklistByTime, Tables.blacklist, of: partition, after: page.position,
                .ascending, limit: page.rows + 1, in: transaction
            ) { key, bytes in rows.add(bytes, at: key) }
            var response = ListBlacklistResponseView()
            response.entries = try rows.finished()
            response.nextPageToken = rows.nextToken(of: query)
            response.totalSize = Int32(head.blacklistCount)
            response.sequence = head.blacklistSequence
            return response
        }
    }

    // MARK: Questions about several users

    static func check(
        _ request: CheckBlacklistRequestView, _ call: Call, _ faults: inout Violations
    ) -> Reading<CheckBlacklistResponseView> {
        faults.count(request.userIDs.count, "user_ids", 1...Limits.blacklistItems)
        faults.known(request.checkType, "check_type")
        // A user may not learn which users block it.
        let both = request.checkType != .single && !call.isOwn
        let names = request.userIDs
        let ids = names.map { UserID(String($0)) }
        return reading(call) { (_, transaction) throws(StorageError) in
            let users = ids.compactMap { $0 }
            let relations = try Blacklist.check(
                users, of: call.user, both: both, app: call.app, in: transaction)
            var next = relations.makeIterator()
            var response = CheckBlacklistResponseView()
            response.results.reserveCapacity(names.count)
            for (name, id) in zip(names, ids) {
                var result = CheckBlacklistResultView(name, .success)
                if id == nil {
                    result.take(.invalidParameter, Reason.BlacklistCheck.userIDIllegal)
                } else if let relation = next.next() ?? nil {
                    result.relation = relation
                } else {
                    result.take(.accountNotFound, Reason.BlacklistCheck.accountNotExist)
                }
                response.results.append(result)
            }
            return response
        }
    }

    static func canSend(
        _ request: CanSendRequestView, _ call: Call, _ faults: inout Violations
    ) -> Reading<CanSendResponseView> {
        faults.count(request.userIDs.count, "user_ids", 1...Limits.canSendItems)
        let names = request.userIDs
        let ids = names.map { UserID(String($0)) }
        return reading(call) { (_, transaction) throws(StorageError) in
            let receivers = ids.compactMap { $0 }
            let answers = try SendRules.check(
                from: call.user, to: receivers, app: call.app, in: transaction)
            var next = answers.makeIterator()
            var response = CanSendResponseView()
            response.results.reserveCapacity(names.count)
            for (name, id) in zip(names, ids) {
                if id != nil, let (code, reason) = next.next() {
                    response.results.append(CanSendResultView(name, code, reason))
                } else {
                    response.results.append(
                        CanSendResultView(name, .invalidParameter, Reason.SendCheck.userIDIllegal))
                }
            }
            return response
        }
    }
}

extension CheckBlacklistResultView: OutcomeMessage {
    fileprivate init(_ name: Text, _ code: FriendStatus, _ reason: Reason = .none) {
        self.init()
        userID = name.echoed()
        take(code, reason)
    }
}

extension CanSendResultView: OutcomeMessage {
    fileprivate init(_ name: Text, _ code: SendStatus, _ reason: Reason) {
        self.init()
        userID = name.echoed()
        take(code, reason)
    }
}
