import Memory
import Protobuf
import ProtobufWitness
import Testing

/// Broken bytes: each input ends in a value or a clear error, and the witness agrees.
struct FuzzTests {
    private static let seed: UInt64 = 77

    private static func corpus<M: CodedMessage>(_ type: M.Type) -> [[UInt8]] {
        var corpus: [[UInt8]] = []
        for index in 0..<40 {
            Arena.temporary { arena in
                var random = RandomMessages(seed: seed + UInt64(index), arena, rarity: 2)
                corpus.append(WireWriter.encode(random.next(M.self)))
            }
        }
        // These are the shortest ones, with few bytes together, so that each byte can be tried.
        var room = 1_000
        return corpus.sorted { $0.count < $1.count }.prefix(12).filter { bytes in
            room -= bytes.count
            return room >= 0
        }
    }

    /// The verdict of the product: the message that was read, or nil if it was refused; and whether
    /// the witness agrees.
    private static func compare<M: CodedMessage>(
        _ type: M.Type, _ bytes: [UInt8], _ arena: Arena
    ) -> (ours: [UInt8]?, agrees: Bool) {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        var ours: [UInt8]?
        var refusal: CodecError.Code?
        do {
            ours = WireWriter.encode(try Coder(M.self).message(bytes, arena))
        } catch {
            refusal = error.code
            // The arena is large. So this error would mean that libprotobuf-c refuses a message
            // that the guard let pass.
            #expect(error.code != .outOfMemory, "\(hex(bytes))")
        }
        do {
            let theirs = WireWriter.encode(try WireReader.decode(M.self, bytes, arena))
            return (ours, ours == theirs)
        } catch {
            return (ours, refusal != nil)
        }
    }

    @Test(arguments: RoundTripTests.types)
    func everyTruncationEndsInAValueOrAnError(_ type: any CodedMessage.Type) {
        Arena.temporary { arena in
            for bytes in FuzzTests.corpus(type) {
                for count in 0..<bytes.count {
                    let cut = Array(bytes.prefix(count))
                    #expect(FuzzTests.compare(type, cut, arena).agrees, "\(hex(cut))")
                }
            }
        }
    }

    @Test(arguments: RoundTripTests.types)
    func everyCorruptedByteEndsInAValueOrAnError(_ type: any CodedMessage.Type) {
        Arena.temporary { arena in
            var generator = SeededGenerator(seed: FuzzTests.seed)
            for bytes in FuzzTests.corpus(type) {
                for index in bytes.indices {
                    // The values flip every bit, are at the edges, or are random.
                    var values = (0..<8).map { bytes[index] ^ 1 << $0 } + [0, 0x7F, 0x80, 0xFF]
                    values += [UInt8.random(in: 0...255, using: &generator)]
                    for value in values {
                        var broken = bytes
                        broken[index] = value
                        #expect(
                            FuzzTests.compare(type, broken, arena).agrees,
                            "seed 77: \(hex(broken))")
                    }
                }
            }
        }
    }

    @Test(arguments: RoundTripTests.types)
    func noiseEndsInAValueOrAnError(_ type: any CodedMessage.Type) {
        Arena.temporary { arena in
            var generator = SeededGenerator(seed: 4711)
            for _ in 0..<5_000 {
                let count = Int.random(in: 0..<40, using: &generator)
                // Small bytes make tags of known fields and lengths that fit.
                let noise = (0..<count).map { _ in
                    UInt8.random(
                        in: Bool.random(using: &generator) ? 0...40 : 0...255, using: &generator)
                }
                #expect(
                    FuzzTests.compare(type, noise, arena).agrees, "seed 4711: \(hex(noise))")
            }
        }
    }

    @Test(arguments: RoundTripTests.types)
    func googleAgreesOnBrokenBytes(_ type: any CodedMessage.Type) throws {
        var generator = SeededGenerator(seed: 99)
        var cases: [[UInt8]] = []
        for bytes in FuzzTests.corpus(type) where !bytes.isEmpty {
            for _ in 0..<250 {
                var broken = bytes
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let index = Int.random(in: 0..<broken.count, using: &generator)
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: broken.remove(at: index)
                    case 1: broken.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                    default: broken[index] = UInt8.random(in: 0...255, using: &generator)
                    }
                    if broken.isEmpty { broken = [0] }
                }
                cases.append(broken)
            }
        }
        let requests = cases.map { "echo \(type.schema.fullName) \(hex($0))" }
        let one = try Google.answers(to: requests, by: .upb)
        let other = try Google.answers(to: requests, by: .python)
        var compared = 0
        try Arena.temporary { arena in
            for (index, bytes) in cases.enumerated() where one[index] == other[index] {
                arena.reset()
                // We do not read inside fields that are kept as bytes; Google does.
                if Kept.isIn(type, bytes, arena) { continue }
                compared += 1
                let ours = FuzzTests.compare(type, bytes, arena).ours
                #expect(ours == one[index], "seed 99: \(hex(bytes))")
            }
            try #require(compared > cases.count / 5)
        }
    }
}

/// Whether a message has a field that is kept as its bytes.
private enum Kept {
    static func isIn<M: CodedMessage>(_ type: M.Type, _ bytes: [UInt8], _ arena: Arena) -> Bool {
        guard let message = try? Coder(M.self).message(bytes, arena) else { return false }
        switch message {
        case let everything as Everything:
            return everything.kept != nil || !everything.page.isEmpty
        case let tree as Tree: return isIn(tree)
        default: return false
        }
    }

    private static func isIn(_ tree: Tree) -> Bool {
        var below = tree.rest + tree.byNumber.values + (tree.grove?.trees ?? [])
        if let first = tree.first { below.append(first.message) }
        if case .grafted(let other) = tree.kind { below.append(other) }
        return tree.kept != nil || below.contains { isIn($0) }
    }
}
