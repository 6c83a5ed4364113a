/// The state of the peer's side of each stream, for the newest streams of a connection.
///
/// nghttp2 forgets a stream as soon as both sides have ended it, and skips later frames. This
/// remembers two bits for each stream. They distinguish a frame that comes too late from one that
/// crossed a reset of ours. One more bit keeps any stream from being reset twice.
///
/// Its streams are those that clients begin; they have odd identifiers.
///
/// It is a trivial value that is copied like a pointer: the owner of the last copy calls
/// ``free()``.
struct PeerSides {
    struct Side: Equatable {
        fileprivate let bits: UInt64

        /// The stream is not remembered.
        static let unknown = Side(bits: 0)
        /// The peer may send on the stream.
        static let begun = Side(bits: 1)
        /// The peer has sent `END_STREAM`.
        static let ended = Side(bits: 2)
        /// The peer has sent `RST_STREAM`.
        static let reset = Side(bits: 3)
    }

    private static let perWord = UInt64.bitWidth / 2

    /// The number of streams that there is memory for: a power of two.
    ///
    /// It grows up to ``SessionLimits/rememberedStreams``. Most connections never have as many
    /// streams.
    private var capacity = UInt64.bitWidth
    /// The sides, and then one bit for each stream, which is set if we have reset it.
    private var words: UnsafeMutablePointer<UInt64>
    private var resets: UnsafeMutablePointer<UInt64> { words + capacity / Self.perWord }

    /// The number of the newest stream: stream 1 has number 0, stream 3 number 1.
    private var newest = -1

    init() {
        words = Self.room(capacity)
    }

    func free() {
        words.deallocate()
    }

    /// Bytes of memory that the sides take.
    var memoryBytes: Int { Self.wordCount(capacity) * MemoryLayout<UInt64>.size }

    private static func wordCount(_ capacity: Int) -> Int {
        capacity / perWord + capacity / UInt64.bitWidth
    }

    private static func room(_ capacity: Int) -> UnsafeMutablePointer<UInt64> {
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: wordCount(capacity))
        words.initialize(repeating: 0, count: wordCount(capacity))
        return words
    }

    /// Makes room for the stream, while less is in memory than is remembered at most.
    ///
    /// Until then no number has come round, so each keeps its index.
    private mutating func grow(toHold number: Int) {
        var grown = capacity
        while grown <= number, grown < SessionLimits.rememberedStreams { grown *= 2 }
        let room = Self.room(grown)
        room.update(from: words, count: capacity / Self.perWord)
        (room + grown / Self.perWord).update(from: resets, count: capacity / UInt64.bitWidth)
        words.deallocate()
        (words, capacity) = (room, grown)
    }

    /// Whether the stream is above all that were noted.
    func isNew(_ id: UInt32) -> Bool { Int(id >> 1) > newest }

    func side(of id: UInt32) -> Side {
        let number = Int(id >> 1)
        // The difference of two numbers of 31 bits.
        guard UInt(bitPattern: newest &- number) < SessionLimits.rememberedStreams else {
            return .unknown
        }
        return Side(bits: words[word(number)] &>> Self.shift(number) & 3)
    }

    mutating func note(_ id: UInt32, _ side: Side) {
        let number = Int(id >> 1)
        if number > newest {
            if number >= capacity, capacity < SessionLimits.rememberedStreams {
                grow(toHold: number)
            }
            forget(newest + 1, number)
            newest = number
        }
        if newest &- number < SessionLimits.rememberedStreams { set(number, side) }
    }

    /// Notes that we reset the stream.
    ///
    /// - Returns: Whether this is new; for a stream that is not remembered it always is.
    mutating func noteReset(_ id: UInt32) -> Bool {
        let number = Int(id >> 1)
        // A client resets streams of its own, of which the server has sent nothing yet.
        if id & 1 == 1, number > newest { note(id, .unknown) }
        guard id & 1 == 1, UInt(bitPattern: newest &- number) < SessionLimits.rememberedStreams
        else { return true }
        let (word, bit) = resetBit(number)
        guard resets[word] & bit == 0 else { return false }
        resets[word] |= bit
        return true
    }

    /// Forgets the sides and resets of streams that were left out, and of the stream after them.
    private func forget(_ first: Int, _ last: Int) {
        guard last - first < SessionLimits.rememberedStreams else {
            return words.update(repeating: 0, count: Self.wordCount(capacity))
        }
        for number in first...last {
            set(number, .unknown)
            let (word, bit) = resetBit(number)
            resets[word] &= ~bit
        }
    }

    private func resetBit(_ number: Int) -> (word: Int, bit: UInt64) {
        let index = UInt(bitPattern: number)
        let width = UInt(UInt64.bitWidth)
        let word = Int(bitPattern: index / width) & (capacity / UInt64.bitWidth &- 1)
        return (word, 1 &<< UInt64(index % width))
    }

    private func set(_ number: Int, _ side: Side) {
        let (word, shift) = (word(number), Self.shift(number))
        words[word] = words[word] & ~(3 &<< shift) | side.bits &<< shift
    }

    private func word(_ number: Int) -> Int {
        Int(bitPattern: UInt(bitPattern: number) / UInt(Self.perWord))
            & (capacity / Self.perWord &- 1)
    }

    private static func shift(_ number: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: number & (perWord &- 1)) &<< 1
    }
}
