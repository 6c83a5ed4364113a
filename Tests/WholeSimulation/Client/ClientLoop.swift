import Dispatch
import NIOCore
import NIOEmbedded

/// The event loop of a client's connections, which the simulation turns when it has work.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
final class ClientLoop: EventLoop, @unchecked Sendable {
    let embedded = EmbeddedEventLoop()
    private let world: SimulatedWorld
    private var chance: Chance
    private var isAwake = false
    private var isOver = false

    init(_ line: Int, in world: SimulatedWorld) {
        self.world = world
        chance = world.chance("loop \(line)")
        embedded.advanceTime(to: now)
    }

    var inEventLoop: Bool { true }
    var now: NIODeadline { .uptimeNanoseconds(world.now) }

    func execute(_ task: @escaping @Sendable () -> Void) {
        guard !isOver else { return }
        embedded.execute(task)
        wake()
    }

    /// Gives the loop a turn soon.
    func wake() {
        guard !isAwake, !isOver else { return }
        isAwake = true
        let pause = chance.number(WorldLimits.jobMicroseconds)
        world.scheduler.after(microseconds: pause) { [weak self] in
            self?.isAwake = false
            self?.turn()
        }
    }

    private func turn() {
        if !isOver { embedded.advanceTime(to: now) }
    }

    /// Runs what is left, and takes nothing more.
    func end() {
        embedded.run()
        isOver = true
        try? embedded.syncShutdownGracefully()
    }

    func scheduleTask<T>(
        deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T
    ) -> Scheduled<T> {
        world.scheduler.at(deadline.uptimeNanoseconds) { [weak self] in self?.turn() }
        return embedded.scheduleTask(deadline: deadline, task)
    }

    func scheduleTask<T>(
        in time: TimeAmount, _ task: @escaping @Sendable () throws -> T
    ) -> Scheduled<T> {
        scheduleTask(deadline: now + time, task)
    }

    func shutdownGracefully(
        queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void
    ) {
        embedded.shutdownGracefully(queue: queue, callback)
    }
}
