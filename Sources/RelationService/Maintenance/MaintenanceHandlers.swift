import GRPC
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime
import Storage

/// The calls of MaintenanceService, except its export.
enum MaintenanceHandlers {
    static func register(in router: Router) {
        router.rows(MaintenanceMethods.importFriends, FriendRows.self)
        router.rows(MaintenanceMethods.importBlacklists, BlacklistRows.self)
        router.rows(MaintenanceMethods.importFollows, FollowRows.self)
        router.rows(MaintenanceMethods.importProfiles, ProfileRows.self)
        router.rows(MaintenanceMethods.importApp, AppRows.self)
        let (store, points) = (router.store, router.exports)
        router.read(MaintenanceMethods.getStats) { _, call, _ in
            Reading { (transaction) throws(StorageError) in
                var response = GetStatsResponse()
                response.app = AppStats(try Feed.state(of: call.app, in: transaction))
                response.store = StoreStats(store.statistics(), openExports: points.count)
                return response
            }
        }
        HistoryHandlers.register(in: router)
        let repairer = Repairer(committer: router.committer, apps: router.apps, clock: router.clock)
        router.batches(MaintenanceMethods.checkIntegrity) {
            (request, call, least, errors) throws(RPCError) in
            guard errors.isEmpty else { return nil }
            return try IntegritySource(
                call, least, request.repair ? repairer : nil, points)
        }
    }
}

extension AppStats {
    fileprivate init(_ counts: FeedState) {
        self.init()
        accounts = counts.accounts
        friends = counts.friends
        groups = counts.groups
        blacklistedUsers = counts.blacklisted
        comeIn = counts.comeIn
        sendOut = counts.sendOut
        subscriptions = counts.subscriptions
        events = counts.events
    }
}

extension StoreStats {
    fileprivate init(_ statistics: StoreStatistics, openExports: Int) {
        self.init()
        engine = statistics.engine
        rows = statistics.rows
        diskBytes = statistics.diskBytes
        memoryBytes = statistics.memoryBytes
        self.openExports = Int64(openExports)
    }
}
