package import Memory
import Protobuf
package import RelationModel
import Storage

extension FriendCheck {
    /// The result of a check that looks at adjacency lists alone.
    package enum Recalled {
        case findings(UnsafeBufferPointer<Finding>)
        case notKnown
        /// The owner's adjacency list was asked for before: it is worth loading.
        case worthLoading
    }

    /// The relation between `owner` and each of `users`, from adjacency lists alone; see
    /// ``run(_:of:_:app:asking:in:_:)``.
    package static func recall(
        _ users: UnsafeBufferPointer<Text>, of owner: UserID, _ type: CheckType, app: App,
        from adjacency: AdjacencyCache, _ arena: Arena
    ) throws(StorageError) -> Recalled {
        let recalled = try KnownPairs.recall(
            users, of: owner, provedBy: proof, app: app, from: adjacency, arena)
        switch recalled {
        case .all(let pairs): return .findings(try findings(pairs, type, arena))
        case .open, .nothing: return .notKnown
        case .worthLoading: return .worthLoading
        }
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
            switch pairs.standing(index) {
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
