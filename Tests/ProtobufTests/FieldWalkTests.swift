import Memory
import ProtobufWitness
import Testing

@testable import Protobuf

struct FieldWalkTests {
    /// The fields that a walk finds, in words.
    private func fields(_ bytes: [UInt8]) throws(CodecError) -> [String] {
        try bytes.withUnsafeBufferPointer { (bytes) throws(CodecError) in
            var walk = FieldWalk(UnsafeRawBufferPointer(bytes))
            var found: [String] = []
            while let (number, value) = try walk.next() {
                switch value {
                case .varint(let value): found.append("\(number) is \(value)")
                case .bytes(let bytes): found.append("\(number) holds \(Array(bytes))")
                case .other: found.append("\(number)")
                }
            }
            return found
        }
    }

    @Test func itFindsEachFieldInItsOrder() throws {
        let bytes: [UInt8] = [
            0x48, 0x96, 1, 0x22, 2, 7, 8, 0x22, 0,
            // Eight bytes, four bytes, a group.
            0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4, 0x0B, 0x28, 1, 0x0C,
            0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 0,
        ]
        #expect(
            try fields(bytes) == [
                "9 is 150", "4 holds [7, 8]", "4 holds []", "2", "2", "1", "536870911 is 0",
            ])
        #expect(try fields([]) == [])
    }

    private static let nines = [UInt8](repeating: 0xFF, count: 9)
    private static let numbers: [(UInt64, [UInt8])] = [
        (0, [0]), (127, [127]), (128, [0x80, 1]), (5, [0x85, 0x80, 0]), (.max, nines + [1]),
        // Bits beyond 64 are dropped.
        (.max, nines + [0x7F]),
        (1 << 63, [UInt8](repeating: 0x80, count: 9) + [1]),
    ]

    @Test(arguments: numbers)
    func itReadsNumbersAsTheFormatHasThem(value: UInt64, bytes: [UInt8]) throws {
        #expect(try fields([0x08] + bytes) == ["1 is \(value)"])
    }

    @Test(arguments: 1...10)
    func itReadsNumbersOfEachLengthWhateverFollows(length: Int) throws {
        // Each group of seven bits differs from its neighbours.
        var value: UInt64 = 0
        var bytes: [UInt8] = []
        for index in 0..<length {
            let bits = index == 9 ? 1 : UInt64(0x15 + 11 * index) & 0x7F
            value |= bits << UInt64(7 * index)
            bytes.append(UInt8(bits) | (index + 1 < length ? 0x80 : 0))
        }
        for count in 0..<10 {
            let rest = (0..<count).flatMap { _ in [0x10, 0x7F] as [UInt8] }
            let expected = ["1 is \(value)"] + (0..<count).map { _ in "2 is 127" }
            #expect(try fields([0x08] + bytes + rest) == expected)
        }
    }

    private static let wrong: [[UInt8]] = [
        [0], [0x08], [0x08, 0x80], [0x08] + nines + [0xFF, 1], [0x0A], [0x0A, 2, 7],
        [0x09, 1, 2, 3, 4, 5, 6, 7], [0x0D, 1, 2, 3], [0x0B, 0x10, 1], [0x0C], [0x0E, 1],
        [0x0F, 1],
    ]

    @Test(arguments: wrong)
    func itRefusesWhatIsNoMessage(bytes: [UInt8]) throws {
        #expect(throws: CodecError(.malformed, "")) { try fields(bytes) }
    }

    @Test func itRefusesGroupsThatNestTooDeep() throws {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x0B, count: depth) + [UInt8](repeating: 0x0C, count: depth)
        }
        #expect(try fields(nested(CodecLimits.groupDepth)) == ["1"])
        #expect(throws: CodecError(.tooDeep, "")) {
            try fields(nested(CodecLimits.groupDepth + 2))
        }
    }

    /// A message is cut at each place: the walk ends or refuses it, and finds nothing else before
    /// that.
    @Test func itFindsNothingElseInAMessageThatIsCut() throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            let bytes = Arena.temporary { arena in
                var random = RandomMessages(seed: seed, arena)
                let message: Everything = random.next()
                return WireWriter.encode(message)
            }
            let all = try fields(bytes)
            for end in 0..<bytes.count {
                guard let some = try? fields(Array(bytes[..<end])) else { continue }
                #expect(some.elementsEqual(all.prefix(some.count)), "seed \(seed), \(end)")
                #expect(some.count < all.count, "seed \(seed), \(end)")
            }
        }
    }
}
