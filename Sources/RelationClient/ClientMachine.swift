internal import GRPCClient
package import NIOCore

/// All that a client takes from its machine: time, chance, threads and connections.
///
/// A simulation gives its own, so that all of a client runs by one clock and on one thread.
package struct ClientMachine: Sendable {
    /// Makes a connection to an address, and lets a function set up its channel before that.
    package typealias Connect =
        @Sendable (
            _ address: SocketAddress, _ eventLoop: any EventLoop,
            _ setUp: @escaping @Sendable (any NIOCore.Channel) -> EventLoopFuture<Void>
        ) -> EventLoopFuture<any NIOCore.Channel>

    let clock: ClientClock
    let chance: @Sendable () -> UInt64
    let eventLoop: any EventLoop
    let connect: Connect

    /// - Parameters:
    ///   - clock: The clock of waits and ages.
    ///   - nanoseconds: The clock of deadlines, which is that of the event loop.
    ///   - chance: The source of request ids and of jitter.
    ///   - tasks: Where the client's own tasks run.
    ///   - eventLoop: Where its connections are.
    package init(
        clock: some Clock<Duration>, nanoseconds: @escaping @Sendable () -> UInt64,
        chance: @escaping @Sendable () -> UInt64, tasks: any TaskExecutor,
        eventLoop: any EventLoop, connect: @escaping Connect
    ) {
        self.clock = ClientClock(clock, tasks: tasks, nanoseconds: nanoseconds)
        (self.chance, self.eventLoop, self.connect) = (chance, eventLoop, connect)
    }
}

extension Client {
    /// A client on a machine that a simulation makes.
    package convenience init(
        _ options: ClientOptions, on machine: ClientMachine
    ) throws(OptionsError) {
        var configuration = try options.configuration()
        configuration.eventLoopGroup = machine.eventLoop
        configuration.connect = machine.connect
        configuration.chance = ChannelChance(machine.chance)
        self.init(options, configuration, machine.clock, ClientChance(machine.chance))
    }
}
