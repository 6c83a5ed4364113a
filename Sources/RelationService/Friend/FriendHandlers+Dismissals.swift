import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

extension FriendHandlers {
    static func dismissSuggestions(
        _ request: DismissSuggestionsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DismissSuggestionsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.dismissalItems)
        let owner = call.user
        let items = request.userIDs.prepared(illegal: Reason.SuggestionDismiss.userIDIllegal)
        var work = Work<DismissSuggestionsResponse>.each(items, named: request.userIDs) {
            (user, ledger) throws(StorageError) in
            try Dismissals.dismiss(user, for: owner, in: ledger)
        }
        Dismissals.keysForDismissing(items.values(), for: owner, app: call.app, into: &work.keys)
        return work
    }

    static func restoreSuggestions(
        _ request: RestoreSuggestionsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RestoreSuggestionsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.dismissalItems)
        let owner = call.user
        let items = request.userIDs.prepared(illegal: Reason.SuggestionDismiss.userIDIllegal)
        var work = Work<RestoreSuggestionsResponse>.each(items, named: request.userIDs) {
            (user, ledger) throws(StorageError) in
            try Dismissals.restore(user, for: owner, in: ledger)
        }
        Dismissals.keysForRestoring(items.values(), for: owner, app: call.app, into: &work.keys)
        return work
    }

    static func listDismissedSuggestions(
        _ request: ListDismissedSuggestionsRequest, _ profiles: StoredProfiles, _ call: Call,
        _ violations: inout Violations
    ) -> Reading<ListDismissedSuggestionsResponse> {
        let query = "ListDismissedSuggestions \(mark: call.app) \(call.user)"
        let page = Page(request.pageSize, request.pageToken, of: query, &violations)
        let joined = JoinedProfiles(request, profiles, call, &violations)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            let found = try Dismissals.page(
                of: call.user, after: page.position?.user, limit: page.rows + 1, app: call.app,
                in: transaction)
            var response = ListDismissedSuggestionsResponse()
            response.users = found.prefix(page.rows).map(DismissedSuggestion.init)
            try joined?.add(to: &response.users, in: transaction)
            if response.users.count < found.count, let last = response.users.last {
                let position = TimedUser(timeMs: 0, user: UserID(stored: last.userID))
                response.nextPageToken = PageToken(position).text(of: query)
            }
            response.totalSize = Int32(userRecord.dismissalCount)
            response.sequence = userRecord.dismissalsSequence
            return response
        }
    }
}

extension DismissedSuggestion {
    init(_ record: DismissalRecord) {
        self.init()
        userID = record.userID
        dismissTimeMs = record.dismissTimeMs
    }
}

extension JoinedProfiles {
    /// Adds profiles to the rows, and drops those that have no room in the page.
    fileprivate func add(
        to rows: inout [DismissedSuggestion], in transaction: any ReadTransaction
    ) throws(StorageError) {
        var bytes = 0
        let users = rows.map { UserID(stored: $0.userID) }
        let whole = rows
        let profiles = try page(of: users, &bytes, in: transaction) { whole[$0].bytesAtMost }
        rows.removeLast(rows.count - profiles.count)
        for (index, profile) in profiles.enumerated() {
            rows[index].profile = try decoded(profile)
        }
    }
}
