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
    /// A power of two.
    private static let wordCount = SessionLimits.rememberedStreams / perWord

    private let words: UnsafeMutablePointer<UInt64>
    /// One bit for each stream, set if we have reset it.
    private let resets: UnsafeMutablePointer<UInt64>
    private static let resetCount = SessionLimits.rememberedStreams / UInt64.bitWidth

    /// The number of the newest stream: stream 1 has number 0, stream 3 number 1.
    private var newest = -1

    init() {
        words = .allocate(capacity: Self.wordCount)
        words.initialize(repeating: 0, count: Self.wordCount)
        resets = .allocate(capacity: Self.resetCount)
        resets.initialize(repeating: 0, count: Self.resetCount)
    }

    func free() {
        words.deallocate()
        resets.deallocate()
    }

    /// Whether the stream is above all that were noted.
    func isNew(_ id: UInt32) -> Bool { Int(id >> 1) > newest }

    func side(of id: UInt32) -> Side {
        let number = Int(id >> 1)
        // The difference of two numbers of 31 bits.
        guard UInt(bitPattern: newest &- number) < SessionLimits.rememberedStreams else {
            return .unknown
        }
        return Side(bits: words[Self.word(number)] &>> Self.shift(number) & 3)
    }

    mutating func note(_ id: UInt32, _ side: Side) {
        let number = Int(id >> 1)
        if number > newest {
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
        guard id & 1 == 1, UInt(bitPattern: newest &- number) < SessionLimits.rememberedStreams
        else { return true }
        let (word, bit) = Self.resetBit(number)
        guard resets[word] & bit == 0 else { return false }
        resets[word] |= bit
        return true
    }

    /// Forgets the sides and resets of streams that were left out, and of the stream after them.
    private func forget(_ first: Int, _ last: Int) {
        guard last - first < SessionLimits.rememberedStreams else {
            words.update(repeating: 0, count: Self.wordCount)
            return resets.update(repeating: 0, count: Self.resetCount)
        }
        for number in first...last {
            set(number, .unknown)
            let (word, bit) = Self.resetBit(number)
            resets[word] &= ~bit
        }
    }

    private static func resetBit(_ number: Int) -> (word: Int, bit: UInt64) {
        let index = UInt(bitPattern: number)
        let width = UInt(UInt64.bitWidth)
        return (Int(bitPattern: index / width) & (resetCount &- 1), 1 &<< UInt64(index % width))
    }

    private func set(_ number: Int, _ side: Side) {
        let (word, shift) = (Self.word(number), Self.shift(number))
        words[word] = words[word] & ~(3 &<< shift) | side.bits &<< shift
    }

    private static func word(_ number: Int) -> Int {
        Int(bitPattern: UInt(bitPattern: number) / UInt(perWord)) & (wordCount &- 1)
    }

    private static func shift(_ number: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: number & (perWord &- 1)) &<< 1
    }
}
