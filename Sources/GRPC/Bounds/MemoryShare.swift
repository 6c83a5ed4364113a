import GRPCWire
import Glibc
import Synchronization

/// How much memory all connections of a server hold, and how much they may hold.
final class MemoryBudget: Sendable {
    private let bound: Atomic<Int>
    private let total = Atomic(0)
    /// The most bytes that were held since memory was last given back to the system.
    private let peak = Atomic(0)

    init(limit: Int) {
        bound = Atomic(limit)
    }

    /// The bytes that the connections may hold.
    var limit: Int {
        get { bound.load(ordering: .relaxed) }
        set { bound.store(newValue, ordering: .relaxed) }
    }

    /// The bytes that the connections hold, as far as their loops have reported.
    var held: Int { total.load(ordering: .relaxed) }

    func add(_ bytes: Int) {
        let sum = total.add(bytes, ordering: .relaxed).newValue
        if bytes > 0 { peak.max(sum, ordering: .relaxed) }
    }

    /// Gives freed memory that the allocator kept back to the system, if it is much.
    ///
    /// The allocator keeps freed memory at lower addresses than memory still in use. Giving it back
    /// takes some ten milliseconds for a gigabyte. So this is done only when the bytes held have
    /// fallen to half of their peak, and not on a loop's thread.
    ///
    /// - Returns: Whether there was much to give back.
    @discardableResult
    func release() -> Bool {
        let (held, most) = (held, peak.load(ordering: .relaxed))
        guard most - held >= CallLimits.givenBackBytes, held <= most / 2 else { return false }
        releaseAll()
        return true
    }

    /// Gives all memory that the allocator kept back to the system.
    func releaseAll() {
        peak.store(held, ordering: .relaxed)
        _ = Self.trim?(0)
    }

    /// `malloc_trim` of glibc, which Swift does not import; nil where the library has none.
    ///
    /// The type in the cast is that of `<malloc.h>`: `int malloc_trim(size_t)`.
    private static let trim = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }
}

/// One loop's part in the bound on the memory that all connections hold.
///
/// No connection is bounded before all together hold too much. Then the connections that hold the
/// most are brought down to one level. So connections that hold little lose nothing, however many
/// others hold much.
///
/// Two simpler ways are worse. A fixed bound for each connection would have to be too low for one
/// or too high for all. To refuse the latest requests would hit other connections than those that
/// fill the memory.
///
/// A loop reports to the others what it holds only when that has changed by
/// ``CallLimits/publishedBytes``.
struct MemoryShare {
    private let budget: MemoryBudget

    /// An equal part of the limit for each loop.
    ///
    /// A loop that holds less than this gives up nothing: another loop holds more.
    private var part: Int { budget.limit / loops }
    private let loops: Int

    private var published = 0

    /// The bytes that a connection may hold and still have its requests run; unlimited unless
    /// memory is short.
    private(set) var level = Int.max

    /// The bytes that the loop must hold before it looks again for connections that hold too much.
    private var nextLook = 0

    init(_ budget: MemoryBudget, loops: Int) {
        self.budget = budget
        self.loops = loops
    }

    private var relaxedTotal: Int { Self.relaxed(budget.limit) }

    private static func relaxed(_ bytes: Int) -> Int {
        bytes - bytes / CallLimits.memoryRelief
    }

    /// Takes note of how many bytes the loop's connections hold.
    ///
    /// - Returns: Whether some of them must give up memory, by ``settle(_:of:)``.
    mutating func isExceeded(holding bytes: Int) -> Bool {
        let more = bytes - published
        if more >= CallLimits.publishedBytes || -more >= CallLimits.publishedBytes {
            publish(bytes)
        }
        let total = budget.held + bytes - published
        guard total > budget.limit else {
            if level < .max, total <= relaxedTotal {
                level = .max
                nextLook = 0
            }
            return false
        }
        return bytes > part && bytes >= nextLook
    }

    /// Returns the level to which the connections that hold more must come down.
    ///
    /// - Parameters:
    ///   - held: The bytes that each of the loop's connections holds.
    ///   - bytes: The bytes that the loop holds.
    mutating func settle(_ held: [Int], of bytes: Int) -> Int {
        let total = budget.held + bytes - published
        let excess = min(bytes - Self.relaxed(part), total - relaxedTotal)
        let sum = held.reduce(0, +)
        // The loop may also hold bytes of ended connections, which the open ones cannot give up.
        let wanted = max(sum - excess, sum / 2)
        var found = held.max() ?? 0
        while found > 0, held.reduce(0, { $0 + min($1, found) }) > wanted {
            found -= max(1, found / 8)
        }
        level = found
        return found
    }

    /// Takes note of how many bytes are left.
    ///
    /// If too many are left, the loop does not look again at each time slice, but only when it
    /// holds more.
    mutating func settled(holding bytes: Int) {
        publish(bytes)
        nextLook = bytes + budget.limit / CallLimits.memoryLooks
    }

    private mutating func publish(_ bytes: Int) {
        budget.add(bytes - published)
        published = bytes
    }
}
