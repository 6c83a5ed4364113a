import Support

/// The time of one process of a shared store: its threads wait here for the database, and for one
/// another.
///
/// `@unchecked Sendable`: only the one with the baton touches anything.
final class ProcessTime: ModelTime, @unchecked Sendable {
    private let world: SimulatedWorld
    private let strands: Strands
    private let database: DatabaseTime
    private var chance: Chance
    /// The number of the server of which this is one life.
    let number: Int
    /// Whether it has died.
    var hasEnded = false
    /// Until when it sleeps: nothing of it runs.
    var asleepUntil: UInt64 = 0
    /// Until when a thread gets no processor, by its number.
    var stalledUntil: [Int: UInt64] = [:]
    /// The time that has passed for sleepers since it died.
    private var passed: UInt64 = 0
    /// Called before one of its threads goes on, which may hand something to the loop.
    var handsOver: () -> Void = {}

    init(
        _ number: Int, _ database: DatabaseTime, _ strands: Strands, _ chance: Chance,
        in world: SimulatedWorld
    ) {
        (self.number, self.database, self.strands, self.world) = (number, database, strands, world)
        self.chance = chance
    }

    var now: UInt64 { world.now }

    /// The time for code that sleeps, and looks at the clock again.
    ///
    /// An hour passes with each look of a process that has died, so that all its waits end.
    var sleepersNow: UInt64 {
        if hasEnded { passed += 3_600_000_000_000 }
        return world.now + passed
    }

    let runsDatabase = true

    func wait(until time: UInt64, or isOver: () -> Bool) {
        guard !hasEnded else { return }
        strands.wait(until: time, or: isOver)
    }

    func changed() { database.changed() }

    /// Waits until the count of a semaphore is above 0, and lowers it.
    func wait(for semaphore: SteadySemaphore) {
        var isTaken = semaphore.wait(nanoseconds: 0)
        while !isTaken, !hasEnded {
            strands.wait(until: .max) {
                if !isTaken { isTaken = semaphore.wait(nanoseconds: 0) }
                return isTaken
            }
        }
    }

    /// When a thread has its turn that has something to do now.
    func turnTime() -> UInt64 {
        let range =
            chance.one(in: WorldLimits.slowTurns)
            ? WorldLimits.slowTurnMicroseconds : WorldLimits.turnMicroseconds
        return world.now + UInt64(chance.number(range)) * 1_000
    }
}

/// The time of a modelled database, which the scheduler of a simulation runs.
///
/// `@unchecked Sendable`: only the one with the baton touches anything.
final class DatabaseTime: ModelTime, @unchecked Sendable {
    private let world: SimulatedWorld
    private let strands: Strands
    private weak var model: PostgresModel?
    /// When the scheduler looks at the database next.
    private var planned = UInt64.max

    init(_ strands: Strands, in world: SimulatedWorld) {
        (self.strands, self.world) = (strands, world)
    }

    var now: UInt64 { world.now }
    let hasEnded = false
    let runsDatabase = true

    func wait(until time: UInt64, or isOver: () -> Bool) {
        preconditionFailure("a database does not wait")
    }

    func changed() {
        strands.changed()
        plan()
    }

    /// Runs what is due in `model` from now on.
    func run(_ model: PostgresModel) { self.model = model }

    private func plan() {
        guard let next = model?.use({ $0.nextTime }), next < planned else { return }
        planned = next
        world.scheduler.at(next) { [weak self] in
            guard let self, planned == next else { return }
            planned = .max
            model?.use { _ in }
            plan()
        }
    }
}
