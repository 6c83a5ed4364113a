internal import Storage

/// How far the commits had come that were surely on the device: what a store is compared with when
/// it is opened again.
///
/// The engine's log says nothing of its own end: one that was cut, or removed, looks like one that
/// was never longer. A mark never claims more than what a returned sync has made durable, and it is
/// up to ``Limits/markMilliseconds`` older than the newest commit.
struct Mark: Equatable {
    /// The state after some commit.
    struct Point: Equatable {
        /// Its last change, by the engine's count.
        var sequence: UInt64
        /// Writes of callers up to then, since the store has marks.
        var writes: UInt64
        var timeMs: Int64
    }

    /// A log of the engine that had changes in it.
    struct Log: Equatable {
        var number: UInt64
        /// Its first change.
        var first: UInt64
    }

    /// Counts the marks of a store.
    var number: UInt64 = 0
    /// Whether commits wait for the device; if not, nothing is promised.
    var isSynced = true
    /// The newest state last, and some before it: the further back, the fewer.
    var points: [Point]
    var logs: [Log] = []
    /// A loss that was accepted and has yet to be written into the rows.
    var loss: StoreLoss?

    init(_ point: Point) {
        points = [point]
    }

    var newest: Point { points[points.count - 1] }

    /// The newest state that is wholly there if changes are there up to `sequence`.
    func point(through sequence: UInt64) -> Point {
        points.last { $0.sequence <= sequence } ?? points[0]
    }

    /// Adds a state, and drops an old one that says little beside its neighbours.
    mutating func add(_ point: Point) {
        guard point.sequence > newest.sequence else { return }
        points.append(point)
        guard points.count > Limits.markPoints else { return }
        // The gap that dropping a point leaves, for how long ago it was.
        func share(_ place: Int) -> Double {
            let gap = points[place + 1].timeMs - points[place - 1].timeMs
            return Double(max(0, gap)) / Double(max(1, point.timeMs - points[place].timeMs))
        }
        let places = 1..<points.count - 1
        if let least = places.min(by: { share($0) < share($1) }) { points.remove(at: least) }
    }
}

extension Mark {
    /// The size of a mark in its file: a page, which no write tears in more than one place.
    static let bytes = 4096
    private static let words = bytes / 8
    private static let sign = UInt64(0x3130_4B52_414D_4352)

    /// The mark as it is stored: numbers of eight bytes, and a checksum behind them.
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

    /// - Returns: Nil if the bytes are not what a mark was stored as.
    init?(stored bytes: ArraySlice<UInt8>) {
        guard bytes.count == Mark.bytes else { return nil }
        let words = bytes.withUnsafeBytes { bytes in
            (0..<Mark.words).map { place in
                UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self))
            }
        }
        guard words[0] == Mark.sign, words[Mark.words - 1] == Mark.checksum(bytes.dropLast(8))
        else { return nil }
        var rest = words[1...].makeIterator()
        // The checksum says that it is what was written: every count fits.
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
