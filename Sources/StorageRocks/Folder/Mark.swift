internal import Storage

/// The state up to which the commits were surely on the device; a store is compared with it when it
/// is opened again.
///
/// The engine's log does not show where it ends: a log that was cut, or removed, looks like one
/// that was never longer. A mark never claims more than a returned sync has made durable. It is up
/// to ``Limits/markMilliseconds`` older than the newest commit.
struct Mark: Equatable {
    /// The state after some commit.
    struct Point: Equatable {
        /// The last change of the commit, as the engine counts changes.
        var sequence: UInt64
        /// How many writes of callers there were up to then, since the store has marks.
        var writes: UInt64
        var timeMs: Int64
    }

    /// A log of the engine that had changes in it.
    struct Log: Equatable {
        var number: UInt64
        /// The first change of the log.
        var first: UInt64
    }

    /// The number of this mark among the marks of its store.
    var number: UInt64 = 0
    /// Whether commits wait for the device; if they do not, the mark promises nothing.
    var isSynced = true
    /// The newest state last, and some states before it; the older they are, the fewer are kept.
    var points: [Point]
    var logs: [Log] = []
    /// A loss that was accepted, and is not written into the rows yet.
    var loss: StoreLoss?

    init(_ point: Point) {
        points = [point]
    }

    var newest: Point { points[points.count - 1] }

    /// The newest state whose changes are all there if every change up to `sequence` is.
    func point(through sequence: UInt64) -> Point {
        points.last { $0.sequence <= sequence } ?? points[0]
    }

    /// Adds a state, and drops an old one that adds little beside its neighbours.
    mutating func add(_ point: Point) {
        guard point.sequence > newest.sequence else { return }
        points.append(point)
        guard points.count > Limits.markPoints else { return }
        // The gap that dropping a point leaves, in relation to its age.
        func share(_ index: Int) -> Double {
            let gap = points[index + 1].timeMs - points[index - 1].timeMs
            return Double(max(0, gap)) / Double(max(1, point.timeMs - points[index].timeMs))
        }
        let indices = 1..<points.count - 1
        if let least = indices.min(by: { share($0) < share($1) }) { points.remove(at: least) }
    }
}

extension Mark {
    /// The size of a mark in its file: one page, which a power cut tears at one offset at most.
    static let bytes = 4096
    private static let words = bytes / 8
    private static let sign = UInt64(0x3130_4B52_414D_4352)

    /// The mark in its stored form: numbers of eight bytes, followed by a checksum.
    var stored: [UInt8] {
        var words = [Mark.sign, number, isSynced ? 1 : 0, UInt64(points.count)]
        for point in points {
            words += [point.sequence, point.writes, UInt64(bitPattern: point.timeMs)]
        }
        words.append(UInt64(logs.count))
        for log in logs { words += [log.number, log.first] }
        words.append(loss == nil ? 0 : 1)
        if let loss {
            words.append(loss.mostWrites)
            words += [loss.sinceMs, loss.untilMs, loss.foundMs].map(UInt64.init(bitPattern:))
        }
        words += [UInt64](repeating: 0, count: Mark.words - 1 - words.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Mark.bytes)
        for word in words { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
        let sum = Mark.checksum(bytes[...])
        withUnsafeBytes(of: sum.littleEndian) { bytes += $0 }
        return bytes
    }

    /// - Returns: Nil if the bytes are not those of a stored mark.
    init?(stored bytes: ArraySlice<UInt8>) {
        guard bytes.count == Mark.bytes else { return nil }
        let words = bytes.withUnsafeBytes { bytes in
            (0..<Mark.words).map { index in
                UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
        }
        guard words[0] == Mark.sign, words[Mark.words - 1] == Mark.checksum(bytes.dropLast(8))
        else { return nil }
        var rest = words[1...].makeIterator()
        // The checksum proves that the bytes are as they were written, so every count fits.
        func next() -> UInt64 { rest.next() ?? 0 }
        func nextTime() -> Int64 { Int64(bitPattern: next()) }
        number = next()
        isSynced = next() == 1
        points = (0..<min(next(), UInt64(Mark.words))).map { _ in
            Point(sequence: next(), writes: next(), timeMs: nextTime())
        }
        guard !points.isEmpty else { return nil }
        logs = (0..<min(next(), UInt64(Mark.words))).map { _ in
            Log(number: next(), first: next())
        }
        guard next() == 1 else { return }
        var loss = StoreLoss()
        (loss.mostWrites, loss.sinceMs) = (next(), nextTime())
        (loss.untilMs, loss.foundMs) = (nextTime(), nextTime())
        self.loss = loss
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var checksum = Checksum()
        bytes.withUnsafeBytes { checksum.add($0) }
        return UInt64(checksum.value)
    }
}
