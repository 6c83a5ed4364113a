import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

extension FriendHandlers {
    static func listReverseFriends(
        _ request: ListReverseFriendsRequest, _ profiles: StoredProfiles, _ call: Call,
        _ violations: inout Violations
    ) -> Reading<ListReverseFriendsResponse> {
        let query = "ListReverseFriends \(mark: call.app) \(call.user)"
        let page = Page(request.pageSize, request.pageToken, of: query, &violations)
        let joined = JoinedProfiles(request, profiles, call, &violations)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            let exact = try ReverseCounts.counted(
                of: call.user, app: call.app, in: transaction)
            // A token has the number that the first page counted, in the place of a time: to count
            // on each page would look at the same rows again.
            let count: Int
            if let exact {
                count = exact
            } else if let position = page.position {
                count = Int(position.timeMs)
            } else {
                count = try ReverseFriends.count(of: call.user, app: call.app, in: transaction)
            }
            let found = try ReverseFriends.page(
                of: call.user, after: page.position?.user, limit: page.rows, app: call.app,
                in: transaction)
            var response = ListReverseFriendsResponse()
            response.bounded = exact == nil && count > Limits.reverseFriendsCounted
            response.totalSize = Int32(
                clamping: response.bounded ? Limits.reverseFriendsCounted : count)
            if call.app.settings.reportsReverseFriends {
                response.sequence = userRecord.reverseFriendsSequence
            }
            response.users = found.users.map { user in .with { $0.userID = user.text } }
            var last = found.last
            if let joined {
                let shown = try joined.add(to: &response.users, found.users, in: transaction)
                if shown < found.users.count { last = found.users[shown - 1] }
            }
            if let last {
                response.nextPageToken =
                    PageToken(TimedUser(timeMs: Int64(count), user: last)).text(of: query)
            }
            return response
        }
    }
}

extension JoinedProfiles {
    /// Adds profiles to the rows of `users`, and drops those that have no room in the page.
    ///
    /// - Returns: How many are left.
    fileprivate func add(
        to rows: inout [ReverseFriend], _ users: [UserID], in transaction: any ReadTransaction
    ) throws(StorageError) -> Int {
        var bytes = 0
        let profiles = try page(of: users, &bytes, in: transaction) {
            users[$0].text.utf8.count
        }
        rows.removeLast(rows.count - profiles.count)
        for (index, profile) in profiles.enumerated() {
            rows[index].profile = try decoded(profile)
        }
        return profiles.count
    }
}
