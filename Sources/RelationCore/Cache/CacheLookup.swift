package import RelationModel
import Storage

/// The memory that a read asks beside its rows, with the read version that it took before its view.
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
            for user in users where !memory.adjacency.knows(user, app) {
                if let load = memory.adjacency.beginLoad(of: user, app) { loads.append(load) }
            }
        }
        self.loads = loads
        readVersion = memory.adjacency.readVersion()
    }

    /// Loads the adjacency lists of the user and of its friends, some of them in each call.
    package init(_ memory: ReadCache, loadingFriendsOf user: UserID, _ app: App) {
        let adjacency = memory.adjacency
        var users = [user]
        if adjacency.isOn {
            let friends =
                adjacency.friends(of: user, app: app.id, at: adjacency.readVersion()) ?? []
            let missing = friends.lazy.filter { !adjacency.knows($0, app) }
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

extension AdjacencyCache {
    /// Whether the adjacency list of `user` is known, or known to be too long.
    package func knows(_ user: UserID, _ app: App) -> Bool {
        var text = user.text
        let knows = text.withUTF8 { bytes in
            let id = UnsafeRawBufferPointer(bytes)
            return lookUp(at: readVersion()) { view -> Bool? in
                guard let list = view.account(app.id, id, view.hash(id)) else { return nil }
                return list.hasMembers || list.head.pointee.isTooLong
            }
        }
        return knows ?? false
    }

    /// Whether an adjacency list that was not found should be loaded: it is worth keeping, and a
    /// commit under way is not the reason.
    func isWorthLoading(_ app: UInt32, _ id: UnsafeRawBufferPointer) -> Bool {
        let hash = hash(id)
        let isTouched = lookUp(at: .latest) { view in
            view.account(app, id, hash)?.hasMembers ?? false
        }
        return isTouched == false && isWorthKeeping(IDHash.slot(hash, in: app))
    }

    /// Calls `body` with the id of each friend that the two users share, in any order.
    ///
    /// - Returns: Nil if the adjacency list of either is not known at `readVersion`.
    func sharedFriends(
        of one: UserID, and other: UserID, app: UInt32, at readVersion: ReadVersion
    ) -> [UserID]? {
        var (oneText, otherText) = (one.text, other.text)
        let shared = oneText.withUTF8 { one in
            otherText.withUTF8 { other in
                lookUp(at: readVersion) { view in
                    guard let mine = view.list(app, UnsafeRawBufferPointer(one)),
                        let theirs = view.list(app, UnsafeRawBufferPointer(other))
                    else { return nil as [UserID]? }
                    let isShorter = mine.livingCount <= theirs.livingCount
                    let (shorter, longer) = isShorter ? (mine, theirs) : (theirs, mine)
                    var shared: [UserID] = []
                    shorter.forEachMember { id, facts in
                        if facts.isMine, longer.facts(about: id, view.hash(id)).isMine {
                            shared.append(UserID(stored: id))
                        }
                        return true
                    }
                    return shared
                }
            }
        }
        return shared
    }
}

extension AdjacencyView {
    /// The adjacency list of that user, with its members; nil if it is not known.
    func list(_ app: UInt32, _ id: UnsafeRawBufferPointer) -> AdjacencyList? {
        guard let list = account(app, id, hash(id)), list.hasMembers else { return nil }
        return list
    }
}
