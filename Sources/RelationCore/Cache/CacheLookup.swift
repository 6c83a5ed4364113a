package import RelationModel
import Storage

/// The read cache that a read asks beside its rows, with the read version that it took before its
/// view.
///
/// A read looks into it after its first row: then the view is taken, and what no commit has touched
/// since the read version is the view's.
package struct CacheLookup {
    package let memory: ReadCache
    package let readVersion: ReadVersion
    /// The loads of adjacency lists that are not known; a load that is not finished is taken back.
    private let loads: [AdjacencyCache.Load]

    /// Made before the read's view is taken.
    ///
    /// - Parameter users: The users whose adjacency lists are loaded if they are not known; none on
    ///   a loop.
    package init(_ memory: ReadCache, loading users: [UserID], _ app: App) {
        self.memory = memory
        // Before the loads: what they keep is then exact at the read version, or not yet.
        var loads: [AdjacencyCache.Load] = []
        if memory.adjacency.isOn {
            for user in users where !memory.adjacency.isCached(user, app) {
                if let load = memory.adjacency.beginLoad(of: user, app) { loads.append(load) }
            }
        }
        self.loads = loads
        readVersion = memory.adjacency.readVersion()
    }

    /// Loads the adjacency lists of the user and of `others`, some of them in each call.
    package init(_ memory: ReadCache, loading user: UserID, and others: [UserID], _ app: App) {
        let missing = others.lazy.filter { !memory.adjacency.isCached($0, app) }
        self.init(
            memory, loading: [user] + missing.prefix(CoreLimits.adjacencyLoadsPerRead), app)
    }

    /// Loads the adjacency lists of the user and of its friends, some of them in each call.
    package init(_ memory: ReadCache, loadingFriendsOf user: UserID, _ app: App) {
        let adjacency = memory.adjacency
        var users = [user]
        if adjacency.isOn {
            let friends =
                adjacency.friends(of: user, app: app.id, at: adjacency.readVersion()) ?? []
            let missing = friends.lazy.filter { !adjacency.isCached($0, app) }
            users += missing.prefix(CoreLimits.adjacencyLoadsPerRead)
        }
        self.init(memory, loading: users, app)
    }

    var adjacency: AdjacencyCache { memory.adjacency }

    /// Reads and keeps the adjacency lists that are to be loaded.
    func finishLoads(in transaction: any ReadTransaction) throws(StorageError) {
        for load in loads { try load.finish(in: transaction) }
    }
}
