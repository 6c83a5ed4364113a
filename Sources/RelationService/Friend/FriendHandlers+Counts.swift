import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

extension FriendHandlers {
    static func getMutualFriendCounts(
        _ request: GetMutualFriendCountsRequest, _ call: Call, _ violations: inout Violations,
        _ memory: ReadCache? = nil
    ) -> Reading<GetMutualFriendCountsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.mutualCountItems)
        let names = request.userIDs
        let ids = names.map { UserID($0) }
        let users = ids.compactMap { $0 }.filter { $0 != call.user }
        let asked = memory.map { CacheLookup($0, loading: call.user, and: users, call.app) }
        return reading(call) { (_, transaction) throws(StorageError) in
            let exist = try Accounts.exist(users, of: call.app, in: transaction)
            let accounts = zip(users, exist).filter(\.1).map(\.0)
            let counts = try SharedFriends.counts(
                of: call.user, with: accounts, isAdmin: call.isAdmin, app: call.app,
                asking: asked, in: transaction)
            var (nextExists, nextCount) = (exist.makeIterator(), counts.makeIterator())
            var response = GetMutualFriendCountsResponse()
            response.results = zip(names, ids).map { name, id in
                var result = MutualFriendCount.with { $0.userID = name.echoed() }
                guard let id else {
                    result.set(.invalidParameter, Reason.FriendMutualCount.userIDIllegal)
                    return result
                }
                guard id != call.user else {
                    result.set(.invalidParameter, Reason.FriendMutualCount.oneself)
                    return result
                }
                guard nextExists.next() == true, let count = nextCount.next() else {
                    result.set(.accountNotFound, Reason.FriendMutualCount.accountNotExist)
                    return result
                }
                result.set(.success)
                result.mutualCount = Int32(count.count)
                result.bounded = count.isBounded
                return result
            }
            return response
        }
    }
}

extension MutualFriendCount: OutcomeMessage {}
