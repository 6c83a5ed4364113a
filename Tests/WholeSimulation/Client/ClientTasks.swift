/// Runs the tasks of a client on the thread of the simulation, each job after a delay by chance.
///
/// So jobs that are ready come in any order, as they do on several threads.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
final class ClientTasks: TaskExecutor, @unchecked Sendable {
    private let world: SimulatedWorld
    private var chance: Chance

    init(_ line: Int, in world: SimulatedWorld) {
        self.world = world
        chance = world.chance("tasks \(line)")
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let range =
            chance.one(in: WorldLimits.slowTurns)
            ? WorldLimits.slowTurnMicroseconds : WorldLimits.jobMicroseconds
        world.scheduler.after(microseconds: chance.number(range)) { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
