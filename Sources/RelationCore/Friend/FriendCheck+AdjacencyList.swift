package import Memory
import Protobuf
package import RelationModel
import Storage

extension FriendCheck {
    /// The relation between `owner` and each of `users`, from adjacency lists alone; see
    /// ``run(_:of:_:app:asking:in:_:)``.
    package static func cached(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, _ type: CheckType, app: App,
        from adjacency: AdjacencyCache, _ arena: Arena
    ) throws(StorageError) -> CacheResult<UnsafeBufferPointer<Finding>> {
        try KnownPairs.cached(
            users, of: owner, provedBy: proof, app: app, from: adjacency, arena
        ).map { (pairs) throws(StorageError) in try findings(pairs, type, arena) }
    }

    /// The facts that show a user to be an account.
    static let proof = AdjacencyFlags.friend

    static func findings(
        _ pairs: KnownPairs, _ type: CheckType, _ arena: Arena
    ) throws(StorageError) -> UnsafeBufferPointer<Finding> {
        guard let memory = arena.allocate(pairs.count) else { throw .callIsFull }
        let findings = memory.bindMemory(to: Finding.self, capacity: pairs.count)
        let readsBoth = type != .unidirection
        for index in 0..<pairs.count {
            let finding: Finding
            switch pairs.state(index) {
            case .malformed: finding = .malformed
            case .noAccount, .open: finding = .noAccount
            case .found:
                let facts = pairs.facts(index)
                switch (facts.isMine, readsBoth && facts.isTheirs) {
                case (false, false): finding = .none
                case (true, false): finding = .myUni
                case (false, true): finding = .otherUni
                case (true, true): finding = .bothWay
                }
            }
            (findings + index).initialize(to: finding)
        }
        return UnsafeBufferPointer(start: findings, count: pairs.count)
    }
}
