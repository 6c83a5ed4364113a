import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

/// BlacklistService.
package enum BlacklistHandlers {
    package static func register(in router: Router) {
        router.write(BlacklistMethods.addToBlacklist, add)
        router.write(BlacklistMethods.removeFromBlacklist, remove)
        router.read(BlacklistMethods.listBlacklist, list)
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
        for case .value(let user) in items {
            FriendRules.keysForAdding(user, to: owner, app: call.app, into: &work.keys)
        }
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
        let partition = call.app.partition(of: owner)
        for case .value(let user) in items {
            Accounts.heads(of: [user], app: call.app, into: &work.keys)
            work.keys.append(Tables.blacklist.key(partition, user))
        }
        return work
    }

    /// Lists in order of the time at which the users were added.
    static func list(
        _ request: ListBlacklistRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<ListBlacklistResponse> {
        let query = "ListBlacklist \(call.app.id) \(call.user)"
        let page = Page(request.pageSize, request.pageToken, of: query, &faults)
        let partition = call.app.partition(of: call.user)
        return reading(call) { (head, transaction) throws(StorageError) in
            var rows = PageRows<BlacklistEntry>(page, call.arena)
            try FriendList.scan(
                Tables.blacklistByTime, Tables.blacklist, of: partition, after: page.position,
                .ascending, limit: page.rows + 1, in: transaction
            ) { place, bytes in rows.add(bytes, at: place) }
            var response = ListBlacklistResponse()
            response.entries = try rows.finished()
            response.nextPageToken = rows.nextToken(of: query)
            response.totalSize = Int32(head.blacklistCount)
            response.sequence = head.blacklistSequence
            return response
        }
    }
}
