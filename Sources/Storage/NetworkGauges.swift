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
}
