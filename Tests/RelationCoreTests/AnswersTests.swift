import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The answers that are kept under request ids.
@Suite struct AnswersTests {
    private static let day: Int64 = 24 * 3_600 * 1_000

    private func keep(
        _ text: String, _ digest: [UInt8] = [1], _ answer: [UInt8] = [7], in world: World
    ) throws {
        try world.call(by: "A") { (ledger) throws(StorageError) in
            try Answers.store(
                answer, under: RequestID(text), digest: digest, of: "A", in: ledger)
        }
    }

    private func known(_ text: String, _ digest: [UInt8] = [1], in world: World) throws
        -> Answers.Known
    {
        try world.call(by: "A") { (ledger) throws(StorageError) in
            try Answers.known(RequestID(text), digest: digest, of: "A", in: ledger)
        }
    }

    @Test func theSameRequestGetsTheSameBytes() throws {
        let world = try World("A", "B")
        #expect(try known("r", in: world) == .none)
        try keep("r", [1], [1, 2, 0, 3], in: world)
        #expect(try known("r", in: world) == .answer([1, 2, 0, 3]))
        #expect(try known("r", [2], in: world) == .otherRequest)
        #expect(try known("R", in: world) == .none)
        // An id belongs to the user that sent it.
        let other = try world.call(by: "B") { (ledger) throws(StorageError) in
            try Answers.known(RequestID("r"), digest: [1], of: "B", in: ledger)
        }
        #expect(other == .none)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func anAnswerIsKeptForOneDay() throws {
        let world = try World("A")
        try keep("r", in: world)
        world.advance(milliseconds: Self.day - 1)
        #expect(try known("r", in: world) == .answer([7]))
        #expect(try known("r", [2], in: world) == .otherRequest)
        world.advance(milliseconds: 1)
        #expect(try known("r", in: world) == .none)
        #expect(try known("r", [2], in: world) == .none)
    }

    @Test func anOldIDMayBeUsedAgain() throws {
        let world = try World("A")
        try keep("r", [1], [1], in: world)
        world.advance(milliseconds: Self.day)
        try keep("r", [2], [2], in: world)
        #expect(try known("r", [2], in: world) == .answer([2]))
        #expect(try world.userRecord(of: "A")?.answerCount == 1)
        #expect(try Audit(world, ["A"]).findings == [])
    }

    @Test func newAnswersPushOutOldOnesTwoAtATime() throws {
        let world = try World("A")
        for number in 0..<9 { try keep("old\(number)", in: world) }
        world.advance(milliseconds: Self.day)
        for number in 0..<5 {
            try keep("new\(number)", in: world)
            let left = max(0, 9 - 2 * (number + 1)) + number + 1
            #expect(try world.userRecord(of: "A")?.answerCount == UInt32(left))
            #expect(try Audit(world, ["A"]).findings == [])
        }
        #expect(try known("new0", in: world) == .answer([7]))
    }

    @Test func tenThousandAnswersAreKept() throws {
        let world = try World("A")
        let names = (0...10_000).map { "\(100_000 + $0)" }
        try world.call(by: "A") { (ledger) throws(StorageError) in
            for name in names.dropLast() {
                try Answers.store([7], under: RequestID(name), digest: [1], of: "A", in: ledger)
            }
        }
        #expect(try known(names[0], in: world) == .answer([7]))
        #expect(try world.userRecord(of: "A")?.answerCount == 10_000)
        world.advance(milliseconds: 1)
        try keep(names[10_000], in: world)
        #expect(try known(names[0], in: world) == .none)
        #expect(try known(names[1], in: world) == .answer([7]))
        #expect(try known(names[10_000], in: world) == .answer([7]))
        #expect(try world.userRecord(of: "A")?.answerCount == 10_000)
        // A repeated id takes no further room.
        try keep(names[10_000], in: world)
        #expect(try known(names[1], in: world) == .answer([7]))
        #expect(try Audit(world, ["A"]).findings == [])
    }

    @Test func whatFailsKeepsNoAnswer() throws {
        let world = try World("A")
        #expect(throws: StorageError(.conflict, "")) {
            try world.call(by: "A") { (ledger) throws(StorageError) in
                try Answers.store([7], under: RequestID("r"), digest: [1], of: "A", in: ledger)
                throw StorageError(.conflict, "on purpose")
            }
        }
        #expect(try known("r", in: world) == .none)
    }
}
