import RelationHooks
import RelationRuntime

/// The work that a server does for one database of its fleet, since it has opened it.
struct FleetLoad: Sendable {
    /// The connections of one kind.
    struct Pool: Sendable {
        let name: String
        let used: Int
        let most: Int
    }

    let name: String
    let commits: CommitReading
    let pools: [Pool]
    /// Nil if the operator allows no hooks.
    let hooks: HookCounts?
}
