import Memory
import ProtobufWitness
import Testing

@testable import Protobuf

struct FieldEraserTests {
    /// A message at random, without its two fields of numbers above 63.
    private func message(_ seed: UInt64, _ arena: Arena) -> Everything {
        var random = RandomMessages(seed: seed, arena)
        var message: Everything = random.next()
        (message.farBranch, message.lastNumber) = (nil, 0)
        return message
    }

    private func bytes(
        of message: Everything, keeping kept: UInt64, _ arena: Arena
    ) throws(CodecError) -> [UInt8] {
        var message = message
        message.eraseFields(except: kept)
        return try Coder(Everything.self).bytes(message, arena)
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func theFieldsThatAreKeptOneByOneMakeTheMessage(_ seed: UInt64) throws {
        try Arena.temporary { arena in
            let message = message(seed, arena)
            let whole = try Coder(Everything.self).bytes(message, arena)
            let parts = try (1..<64).map { try bytes(of: message, keeping: 1 << $0, arena) }
            #expect(parts.flatMap(\.self) == whole)
            #expect(try bytes(of: message, keeping: .max, arena) == whole)
            #expect(try bytes(of: message, keeping: 0, arena) == [])
            var generator = SeededGenerator(seed: seed)
            let kept = generator.next()
            let some = parts.enumerated().filter { kept >> UInt64($0.offset + 1) & 1 != 0 }
            #expect(try bytes(of: message, keeping: kept, arena) == some.flatMap(\.element))
        }
    }

    @Test func numbersAboveSixtyThreeAndUnknownFieldsAreNotKept() {
        var message = Everything()
        message.flag = true
        message.farBranch = Branch()
        message.lastNumber = 7
        message.eraseFields(except: .max)
        #expect(message.flag && message.farBranch == nil && message.lastNumber == 0)
        var keeper = Keeper()
        keeper.a = 5
        keeper.rest.bytes = [0x10, 1]
        keeper.eraseFields(except: 1 << 1)
        #expect(keeper.a == 5 && keeper.rest.bytes.isEmpty)
    }
}
