/// The numbers of a store that is reached over a network.
package struct NetworkGauges: Equatable, Sendable {
    /// How often a thread waited for an answer.
    package var roundTrips: UInt64 = 0
    /// Connections that were made.
    package var connects: UInt64 = 0
    /// Transactions that ran again, because they lost a race or their connection.
    package var reruns: UInt64 = 0
    /// Commits whose answer was lost, and that were looked up.
    package var settled: UInt64 = 0
    package var pools: [Pool] = []
    /// The standbys, and the reads that may go to them; nil if the store names none.
    package var standbys: Standbys?

    /// The connections of one kind.
    package struct Pool: Equatable, Sendable {
        package let name: String
        package let used: Int
        package let most: Int

        package init(name: String, used: Int, most: Int) {
            self.name = name
            self.used = used
            self.most = most
        }
    }

    package init() {}

    /// The standbys of a store.
    package struct Standbys: Equatable, Sendable {
        package var count = 0
        /// The standbys that have failed since they last took a read.
        package var paused = 0
        /// Long reads that were begun on a standby.
        package var reads: UInt64 = 0
        /// Long reads that were begun on the primary, because no standby could serve them.
        package var primaryReads: UInt64 = 0
        /// Ordinary reads that a standby has answered.
        package var answered: UInt64 = 0
        /// Ordinary reads for which the standbys were behind.
        package var behind: UInt64 = 0
        /// Ordinary reads for which no standby could be asked.
        package var away: UInt64 = 0

        package init() {}
    }
}
