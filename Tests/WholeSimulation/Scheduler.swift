import StorageSuite

/// The order of all that runs: pieces of work, each with its virtual time.
///
/// The next piece is the one whose time comes first. Of those of one time it is that of the lowest
/// line, and then the one that was given first. A piece may itself run others, as long as a commit
/// waits for its disk.
package final class Scheduler {
    private struct Piece {
        let time: UInt64
        let line: Int
        let number: UInt64
        let work: () -> Void

        static func < (one: Piece, other: Piece) -> Bool {
            (one.time, one.line, one.number) < (other.time, other.line, other.number)
        }
    }

    /// The virtual time in nanoseconds.
    package private(set) var now = WorldLimits.startNanoseconds
    /// A binary heap: no piece is earlier than the one above it.
    private var heap: [Piece] = []
    private var number: UInt64 = 0
    /// Runs after each piece.
    var afterEach: () -> Void = {}

    /// The milliseconds since the beginning.
    package var milliseconds: Int {
        Int((now - WorldLimits.startNanoseconds) / 1_000_000)
    }

    func after(microseconds: Int, _ work: @escaping () -> Void) {
        at(now + UInt64(microseconds) * 1_000, work)
    }

    /// - Parameter line: The client that the work is about. The server tells many clients at once,
    ///   in an order that may be another one in the next run.
    func at(_ time: UInt64, line: Int = -1, _ work: @escaping () -> Void) {
        number += 1
        heap.append(Piece(time: max(time, now), line: line, number: number, work: work))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Drops all pieces that were not run, for they have the scheduler as well.
    func forget() { heap = [] }

    /// Runs pieces until `time`, or until `isOver`, and leaves the clock there.
    func run(until time: UInt64, or isOver: () -> Bool = { false }) {
        while !isOver(), let piece = pop(until: time) {
            now = max(now, piece.time)
            piece.work()
            afterEach()
        }
        if !isOver() { now = max(now, time) }
    }

    private func pop(until time: UInt64) -> Piece? {
        guard let first = heap.first, first.time <= time else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < heap[parent] else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return first
    }
}

/// A source of chance that belongs to one part of a simulation.
///
/// Each part has its own, so that a step less in one part leaves the choices of the others alone.
package struct Chance {
    private var numbers: SeededNumbers

    package init(_ seed: UInt64, _ part: String) {
        numbers = SeededNumbers(seed: Digest64(of: part, from: seed).value)
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &numbers)
    }

    /// A number of which each bit is by chance.
    mutating func bits() -> UInt64 { numbers.next() }

    /// Whether one case in `cases` has come.
    package mutating func one(in cases: Int) -> Bool { number(1...cases) == 1 }

    package mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
        choices[number(0...(choices.count - 1))]
    }
}

/// A sum of all that happened, by which two runs are compared.
package struct Digest64: Equatable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init() {}

    init(of text: String, from seed: UInt64) {
        add(seed)
        add(text.utf8)
    }

    mutating func add(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            add(byte: UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte: byte) }
    }

    /// FNV-1a.
    private mutating func add(byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
}
