import GRPC
import RelationAPI
import RelationAccess
import RelationCalls
import RelationCore
import RelationModel

/// The call RevokeUserSessions.
enum SessionHandlers {
    static func register(in router: Router) {
        router.write(AccountMethods.revokeUserSessions, revoke)
    }

    static func revoke(
        _ request: RevokeUserSessionsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RevokeUserSessionsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.revokedUsers)
        let now = call.now.milliseconds
        let latest = now + AccessLimits.clockSkewMilliseconds
        if !(0...latest).contains(request.beforeTimeMs) {
            violations.add(
                "before_time_ms",
                "must be 0 to \(latest), which is \(AccessLimits.clockSkewMilliseconds / 1_000)"
                    + " seconds from now")
        }
        let names = request.userIDs
        let items = names.prepared(illegal: Reason.SessionRevoke.userIDIllegal)
        let beforeMs = request.beforeTimeMs == 0 ? now : request.beforeTimeMs
        let endTimes = EndTimes()
        var work = Work<RevokeUserSessionsResponse>.each(
            items,
            { (user, ledger) throws(StorageError) in
                let end = try SessionRules.end(user, before: beforeMs, in: ledger)
                endTimes.beforeMs[user] = end.beforeMs
                return .done(changing: end.changed)
            },
            answering: { outcomes in
                var response = RevokeUserSessionsResponse()
                response.results = zip(names, outcomes).map { name, outcome in
                    var result = RevokeUserSessionsResult(name, outcome)
                    if let user = UserID(name), let beforeMs = endTimes.beforeMs[user] {
                        result.beforeTimeMs = beforeMs
                        result.firstGoodTimeMs = (beforeMs + 999) / 1_000 * 1_000
                    }
                    return result
                }
                return response
            })
        SessionRules.keys(of: items.values(), app: call.app, into: &work.keys)
        return work
    }
}

extension RevokeUserSessionsResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: FriendOutcome) {
        self.init()
        userID = name.echoed()
        set(outcome)
    }
}

/// The moments that one call found or set.
///
/// `@unchecked Sendable`: a loop makes it, and then the committer's thread alone touches it.
private final class EndTimes: @unchecked Sendable {
    var beforeMs: [UserID: Int64] = [:]
}
