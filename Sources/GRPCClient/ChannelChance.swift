/// The source of chance of a client's channel: the first server, and the waits between attempts.
package struct ChannelChance: RandomNumberGenerator, Sendable {
    private let draw: @Sendable () -> UInt64

    /// The chance of the machine.
    package static let system = ChannelChance {
        var system = SystemRandomNumberGenerator()
        return system.next()
    }

    package init(_ draw: @escaping @Sendable () -> UInt64) {
        self.draw = draw
    }

    package func next() -> UInt64 { draw() }
}
