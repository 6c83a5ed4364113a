import Glibc
import Synchronization

/// How much memory all connections of a server hold, and how much they may.
final class MemoryBudget: Sendable {
    let limit: Int
    private let total = Atomic(0)
    /// The most that was held since it was last given back to the system.
    private let peak = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// What the loops have said that their connections hold.
    var held: Int { total.load(ordering: .relaxed) }

    func add(_ bytes: Int) {
        let sum = total.add(bytes, ordering: .relaxed).newValue
        if bytes > 0 { peak.max(sum, ordering: .relaxed) }
    }

    /// Gives back to the system what the allocator kept of memory that is held no more, if that is
    /// much.
    ///
    /// The allocator keeps what lies below anything that is in use still. Giving it back takes some
    /// ten milliseconds for a gigabyte, so it is done when half of the most is gone, and not by a
    /// loop.
    ///
    /// - Returns: Whether there was much to give back.
    @discardableResult
    func giveBack() -> Bool {
        let (held, most) = (held, peak.load(ordering: .relaxed))
        guard most - held >= CallLimits.givenBackBytes, held <= most / 2 else { return false }
        peak.store(held, ordering: .relaxed)
        _ = Self.trim?(0)
        return true
    }

    /// `malloc_trim` of glibc, which Swift does not import; nil where the library has none.
    ///
    /// The cast says what `<malloc.h>` says of it: `int malloc_trim(size_t)`.
    private static let trim = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }
}

/// What one loop's connections may hold of the server's memory.
///
/// Nobody is bounded before all together hold too much. Then the connections that hold the most are
/// brought down to one level, so that those that hold little lose nothing, however many hold much:
/// a bound that each connection has for itself would have to be too low for one or too high for
/// all, and refusing whoever comes last would hit the others of those who fill the memory.
///
/// A loop tells the others what it holds only when that has changed by ``CallLimits/toldBytes``.
struct MemoryShare {
    private let budget: MemoryBudget

    /// A loop that holds less leaves it to the others to give up something: one of them holds more.
    private let part: Int

    private var told = 0

    /// What a connection may hold to have its requests run; any number unless memory is short.
    private(set) var level = Int.max

    /// What the loop must hold before it looks anew which connections hold too much.
    private var nextLook = 0

    init(_ budget: MemoryBudget, loops: Int) {
        self.budget = budget
        part = budget.limit / loops
    }

    private var relaxedTotal: Int { Self.relaxed(budget.limit) }

    private static func relaxed(_ bytes: Int) -> Int {
        bytes - bytes / CallLimits.memoryRelief
    }

    /// Takes note of what the loop's connections hold.
    ///
    /// - Returns: Whether some of them must give up something, by ``settle(_:of:)``.
    mutating func isExceeded(holding bytes: Int) -> Bool {
        let more = bytes - told
        if more >= CallLimits.toldBytes || -more >= CallLimits.toldBytes { tell(bytes) }
        let total = budget.held + bytes - told
        guard total > budget.limit else {
            if level < .max, total <= relaxedTotal {
                level = .max
                nextLook = 0
            }
            return false
        }
        return bytes > part && bytes >= nextLook
    }

    /// Says to what level the connections must come down that hold more.
    ///
    /// - Parameters:
    ///   - held: What each of the loop's connections holds.
    ///   - bytes: What the loop holds.
    mutating func settle(_ held: [Int], of bytes: Int) -> Int {
        let total = budget.held + bytes - told
        let excess = min(bytes - Self.relaxed(part), total - relaxedTotal)
        let sum = held.reduce(0, +)
        // What is left of connections that have ended cannot be had from the others.
        let wanted = max(sum - excess, sum / 2)
        var found = held.max() ?? 0
        while found > 0, held.reduce(0, { $0 + min($1, found) }) > wanted {
            found -= max(1, found / 8)
        }
        level = found
        return found
    }

    /// Takes note of what is left.
    ///
    /// What does not go away at once is not looked for again at each turn.
    mutating func settled(holding bytes: Int) {
        tell(bytes)
        nextLook = bytes + budget.limit / CallLimits.memoryLooks
    }

    private mutating func tell(_ bytes: Int) {
        budget.add(bytes - told)
        told = bytes
    }
}
