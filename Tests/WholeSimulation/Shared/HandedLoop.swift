import Dispatch
import NIOCore
import NIOEmbedded

/// The event loop of a simulated server whose threads are strands.
///
/// An embedded loop belongs to the thread that made it. So work that a strand hands over waits here
/// until the loop has its turn.
///
/// `@unchecked Sendable`: only the one with the baton touches anything.
final class HandedLoop: EventLoop, @unchecked Sendable {
    let embedded = EmbeddedEventLoop()
    private let strands: Strands
    private var handed: [() -> Void] = []

    init(_ strands: Strands) { self.strands = strands }

    /// Takes what was handed over.
    func takeHanded() {
        let work = handed
        handed = []
        for piece in work { embedded.execute(piece) }
    }

    var inEventLoop: Bool { !strands.isInside }
    var now: NIODeadline { embedded.now }

    func execute(_ task: @escaping @Sendable () -> Void) {
        if strands.isInside { handed.append(task) } else { embedded.execute(task) }
    }

    func scheduleTask<T>(
        deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T
    ) -> Scheduled<T> {
        preconditionInEventLoop()
        return embedded.scheduleTask(deadline: deadline, task)
    }

    func scheduleTask<T>(
        in time: TimeAmount, _ task: @escaping @Sendable () throws -> T
    ) -> Scheduled<T> {
        preconditionInEventLoop()
        return embedded.scheduleTask(in: time, task)
    }

    func preconditionInEventLoop(file: StaticString, line: UInt) {
        precondition(inEventLoop, "a thread does the work of the loop", file: file, line: line)
    }

    func preconditionNotInEventLoop(file: StaticString, line: UInt) {
        precondition(!inEventLoop, "the loop does the work of a thread", file: file, line: line)
    }

    func shutdownGracefully(
        queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void
    ) {
        embedded.shutdownGracefully(queue: queue, callback)
    }
}
