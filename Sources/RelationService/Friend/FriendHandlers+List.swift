import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

extension FriendHandlers {
    /// Answers a page of stored rows, without a look at names.
    static func listFriends(
        _ request: ListFriendsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListFriendsResponseView> {
        request.checkJoin(&violations)
        let mask = FriendMask(request.readMask, "read_mask", call, &violations)
        let byTime = request.order == .addTime
        let scanOrder = ScanOrder(isDescending: request.isDescending)
        let query = request.query(call)
        let page = Page(request.pageSize, request.pageToken, of: query, &violations)
        let owner = call.user
        let app = call.app
        return Reading { (transaction) throws(StorageError) in
            if transaction.wantsNotice, !byTime, request.group.isEmpty, !request.isSelected {
                FriendList.expectByID(
                    of: owner, after: page.position?.user, scanOrder, limit: page.rows + 1,
                    app: app, in: transaction)
            }
            guard
                let userRecord = try Accounts.record(of: call.user, app: call.app, in: transaction)
            else {
                return nil
            }
            var response = ListFriendsResponseView()
            response.totalSize = Int32(userRecord.friendCount)
            response.sequence = userRecord.friendsSequence
            var rows = PageRows<Friend>(page, call.arena)
            if request.isSelected {
                let total = try request.scanSelected(page, call, in: transaction) { key, bytes in
                    rows.add(bytes, at: key)
                }
                response.totalSize = Int32(total)
            } else if !request.group.isEmpty {
                let group = try request.record(call, in: transaction)
                response.totalSize = Int32(group?.memberCount ?? 0)
                if let group {
                    try FriendList.scanGroup(
                        group.number, byTime: byTime, of: owner, after: page.position, scanOrder,
                        limit: page.rows + 1, app: app, in: transaction
                    ) { key, bytes in rows.add(bytes, at: key) }
                }
            } else if byTime {
                try FriendList.scanByTime(
                    of: owner, after: page.position, scanOrder, limit: page.rows + 1, app: app,
                    in: transaction
                ) { key, bytes in rows.add(bytes, at: key) }
            } else {
                try FriendList.scanByID(
                    of: owner, after: page.position?.user, scanOrder, limit: page.rows + 1,
                    app: app, in: transaction
                ) { user, bytes in rows.add(bytes, at: TimedUser(timeMs: 0, user: user)) }
            }
            response.friends = try mask.apply(to: rows.finished(), call.arena)
            response.nextPageToken = rows.nextToken(of: query)
            return response
        }
    }

    /// Answers a page of the list as it was at a past moment, in any order.
    static func listPastFriends(
        _ request: ListFriendsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListFriendsResponseView> {
        // Caches have the present rows, so these keep nothing.
        let clock = CommitClock(isOnlyWriter: false)
        let present =
            request.isJoined
            ? listJoinedFriends(
                request, NameCache(clock: clock), StoredProfiles(clock: clock), call, &violations)
            : listFriends(request, call, &violations)
        return Reading { (transaction) throws(StorageError) in
            guard let past = transaction as? PastTransaction else {
                throw StorageError.unanswerable("a list of a past moment was read in the present")
            }
            try past.revertList(of: call.user)
            return try present(past)
        }
    }
}
