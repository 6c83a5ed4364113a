import Memory
import Protobuf
import ProtobufWitness
import Testing

/// Random messages pass through the product, the witness and Google's protobuf, both ways.
struct RoundTripTests {
    private static let seed: UInt64 = 20_260_801
    private static let count = 300

    /// Messages that together use every line of the table of field types.
    static let types: [any CodedMessage.Type] = [
        Everything.self, Numbers.self, Maps.self, Woven.self, Tree.self,
    ]

    /// Encodings by the witness of random messages, the smallest first.
    private static func samples<M: CodedMessage>(_ type: M.Type, _ count: Int) -> [[UInt8]] {
        (0..<count).map { index in
            Arena.temporary { arena in
                var random = RandomMessages(
                    seed: seed + UInt64(index), arena, rarity: index < count / 2 ? 2 : 4)
                return WireWriter.encode(random.next(type))
            }
        }
    }

    @Test(arguments: types)
    func theTwoEncodersWriteTheSameBytes(_ type: any CodedMessage.Type) throws {
        func check<M: CodedMessage>(_ type: M.Type, _ seed: UInt64, _ arena: Arena) throws {
            var random = RandomMessages(seed: seed, arena)
            let message: M = random.next()
            let bytes = try Coder(M.self).bytes(message, arena)
            #expect(bytes == WireWriter.encode(message), "seed \(seed)")
            #expect(message.bytesAtMost == bytes.count, "seed \(seed)")
        }
        for index in 0..<RoundTripTests.count {
            try Arena.temporary { try check(type, RoundTripTests.seed + UInt64(index), $0) }
        }
    }

    @Test(arguments: types)
    func theTwoDecodersReadTheSameMessages(_ type: any CodedMessage.Type) throws {
        for bytes in RoundTripTests.samples(type, RoundTripTests.count) {
            #expect(try echo(type, bytes) == bytes, "\(hex(bytes))")
            #expect(try witnessEcho(type, bytes) == bytes, "\(hex(bytes))")
        }
    }

    @Test(arguments: types, [Google.Implementation.upb, .python])
    func googleReadsWhatWeWrite(
        _ type: any CodedMessage.Type, _ implementation: Google.Implementation
    ) throws {
        let samples = RoundTripTests.samples(type, RoundTripTests.count)
        let answers = try Google.answers(
            to: samples.map { "echo \(type.schema.fullName) \(hex($0))" },
            by: implementation)
        for (sample, answer) in zip(samples, answers) {
            let answer = try #require(answer)
            // They are equal as messages. They are also equal in bytes, except where upb sorts the
            // keys of maps in its own way: a key comes after those with which it begins.
            #expect(try echo(type, answer) == sample, "\(hex(sample))")
            if implementation == .python { #expect(answer == sample, "\(hex(sample))") }
        }
    }

    @Test(arguments: types, [Google.Implementation.upb, .python])
    func weReadWhatGoogleWrites(
        _ type: any CodedMessage.Type, _ implementation: Google.Implementation
    ) throws {
        func written<M: CodedMessage>(_ type: M.Type, _ bytes: [UInt8]) throws -> [UInt8] {
            try Arena.temporary { arena in
                try Coder(M.self).bytes(try Coder(M.self).message(bytes, arena), arena)
            }
        }
        let name = type.schema.fullName
        let seeds = 0..<300
        let answers = try Google.answers(
            to: seeds.map { "random \(name) \($0)" }, by: implementation)
        let ours = try answers.map { try written(type, #require($0)) }
        let again = try Google.answers(
            to: ours.map { "echo \(name) \(hex($0))" }, by: implementation)
        for seed in seeds {
            #expect(again[seed] == answers[seed], "Python seed \(seed)")
            if implementation == .python {
                #expect(ours[seed] == answers[seed], "Python seed \(seed)")
            }
        }
    }

    @Test func emptyIsEmpty() throws {
        #expect(try encode(Everything()) == [])
        #expect(try encode(Empty()) == [])
        #expect(try decode(Leaf.self, []) == Leaf())
        #expect(try decode(Empty.self, []) == Empty())
    }

    @Test func presentAndZeroIsNotAbsent() throws {
        let bytes = try Arena.temporary { (arena) throws(CodecError) in
            var message = Everything()
            message.optFlag = false
            message.optI32 = 0
            message.optReal = 0
            message.optName = ""
            message.optData = []
            message.optView = Text()
            message.optColour = .unspecified
            message.leaf = Leaf()
            message.kept = Encoded(borrowing: UnsafeRawBufferPointer(start: nil, count: 0))
            message.empty = Empty()
            message.choice = .text("")
            return try Coder(Everything.self).bytes(message, arena)
        }
        try Arena.temporary { arena in
            let message = try Coder(Everything.self).message(bytes, arena)
            #expect(message.optFlag == false)
            #expect(message.optI32 == 0)
            #expect(message.optI64 == nil)
            #expect(message.optReal == 0)
            #expect(message.optName == "")
            #expect(message.optData == [])
            #expect(message.optView == "")
            #expect(message.optColour == .unspecified)
            #expect(message.leaf == Leaf())
            #expect(message.kept?.count == 0)
            #expect(message.empty == Empty())
            guard case .text("")? = message.choice else {
                Issue.record("an empty case of a oneof was lost")
                return
            }
        }
    }

    @Test func aRecordDecodedInsideACallLeavesTheRequestAlone() throws {
        try Arena.temporary { arena in
            let request = try Coder(Everything.self).message(
                counted(9, [UInt8]("the caller".utf8)), arena)
            for _ in 0..<100 {
                let mark = arena.mark()
                let record = try Coder(Everything.self).message(
                    counted(9, [UInt8]("the record".utf8)), arena)
                #expect(record.view == "the record")
                arena.rewind(to: mark)
            }
            #expect(request.view == "the caller")
        }
    }

    @Test func writingAppends() throws {
        try Arena.temporary { arena in
            let output = OutputBuffer(capacity: 16)
            output.append([1, 2, 3, 4, 5])
            var leaf = Leaf()
            leaf.s = String(repeating: "x", count: 100)
            try Coder(Leaf.self).write(leaf, arena, output)
            #expect(Array(output.bytes.prefix(5)) == [1, 2, 3, 4, 5])
            #expect(Array(output.bytes.dropFirst(5)) == WireWriter.encode(leaf))
        }
    }

    @Test func theBoundOfAnEncodingHolds() throws {
        for index in 0..<RoundTripTests.count {
            try Arena.temporary { arena in
                var random = RandomMessages(seed: 31 + UInt64(index), arena)
                let message: Everything = random.next()
                // The buffer grows once, to the bound: one byte more is an error under
                // AddressSanitizer.
                let output = OutputBuffer(capacity: 1)
                try Coder(Everything.self).write(message, arena, output)
                #expect(output.count <= output.capacity, "seed 31, \(index)")
            }
        }
    }

    @Test func aPageIsSplicedWithoutDecoding() throws {
        try Arena.temporary { arena in
            var leaf = Leaf()
            leaf.s = "stored"
            let record = try encode(leaf)
            var response = Everything()
            response.page = [try arena.encoded(record), try arena.encode(leaf)]
            let bytes = try Coder(Everything.self).bytes(response, arena)
            #expect(
                bytes == WireWriter.varint(34 << 3 | 2) + wire(record.count, record)
                    + WireWriter.varint(34 << 3 | 2) + wire(record.count, record))
            let page = try Coder(Everything.self).message(bytes, arena).page
            #expect(
                try page.map { (encoded) throws in try encoded.decoded(arena) } == [leaf, leaf])
        }
    }
}
