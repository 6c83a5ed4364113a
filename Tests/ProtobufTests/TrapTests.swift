import Memory
import Protobuf
import ProtobufWitness
import Testing

/// The errors of libprotobuf-c 1.4.1 that this room must not have: one test for each.
struct TrapTests {
    /// Expects that the product, the witness and Google read the same message from the bytes.
    private func expectMeaning<M: CodedMessage>(
        _ type: M.Type, _ bytes: [UInt8], _ meaning: [UInt8],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try Google.answers(to: ["echo \(M.schema.fullName) \(hex(bytes))"])
        #expect(answer == [meaning], "Google", sourceLocation: location)
        #expect(try echo(type, bytes) == meaning, "the product", sourceLocation: location)
        #expect(try witnessEcho(type, bytes) == meaning, "the witness", sourceLocation: location)
    }

    @Test func aNULInsideAStringSurvives() throws {
        var leaf = Leaf()
        leaf.s = "ab\0cd"
        #expect(try decode(Leaf.self, encode(leaf)).s == "ab\0cd")
        try expectMeaning(Leaf.self, counted(2, wire("ab", 0, "cd")), counted(2, wire("ab\0cd")))
    }

    @Test(
        arguments: [
            [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xEF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8IsRefusedWhereverItStands(_ broken: [UInt8]) throws {
        for before in 0..<12 {
            for after in [0, 9] {
                let text =
                    [UInt8](repeating: 0x61, count: before) + broken
                    + [UInt8](repeating: 0x62, count: after)
                for bytes in [
                    counted(7, text), counted(17, text), counted(27, text), counted(9, text),
                    counted(50, text), counted(40, counted(1, text)),
                    counted(40, counted(2, text)), counted(31, counted(2, text)),
                ] {
                    let error = error { () throws(CodecError) in try echo(Everything.self, bytes) }
                    #expect(error?.code == .invalidUTF8)
                }
            }
        }
        let refusal = error { () throws(CodecError) in
            try echo(Everything.self, counted(31, counted(2, broken)))
        }
        #expect(refusal?.message == "relation.test.v1.Leaf.s is not valid UTF-8")
        // In a field of bytes the same bytes are valid.
        #expect(try echo(Everything.self, counted(8, broken)) == counted(8, broken))
    }

    @Test(arguments: [
        "é", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    ])
    func theEdgesOfUTF8AreAccepted(_ character: String) throws {
        for before in 0..<9 {
            let text = String(repeating: "a", count: before) + character
            let bytes = counted(2, [UInt8](text.utf8))
            #expect(try decode(Leaf.self, bytes).s == text)
        }
    }

    @Test func groupsAreSkippedAtAnyOffset() throws {
        let group = wire(11 * 8 + 3, 8, 1, counted(3, [1, 2]), 12 * 8 + 3, 12 * 8 + 4, 11 * 8 + 4)
        try expectMeaning(Leaf.self, wire(group, 8, 5, group), [8, 5])
        try expectMeaning(
            Branch.self, counted(1, wire(group, 8, 5)), counted(1, [8, 5]))
        for broken in [
            wire(11 * 8 + 3), wire(11 * 8 + 4), wire(11 * 8 + 3, 12 * 8 + 4),
            wire(11 * 8 + 3, 8), wire(3, 4),
        ] {
            let error = error { () throws(CodecError) in try echo(Leaf.self, broken) }
            #expect(error?.code == .malformed)
        }
    }

    @Test func aWrongWireTypeIsAnUnknownField() throws {
        // Leaf.a as bytes, fixed64, fixed32 and group; Leaf.s as a number.
        let strange = wire(
            counted(1, [7]), 1 * 8 + 1, [UInt8](repeating: 0, count: 8), 1 * 8 + 5, 1, 2, 3, 4,
            1 * 8 + 3, 1 * 8 + 4, 2 * 8, 7)
        try expectMeaning(Leaf.self, wire(strange, 8, 9, strange), [8, 9])
    }

    @Test func groupsInUnknownFieldsNestAsDeepAsTheLimit() throws {
        // For us, all of the ten thousand messages but the outermost are the payload of an unknown
        // field.
        var deep: [UInt8] = []
        for _ in 0..<10_000 { deep = counted(99, deep) }
        #expect(try echo(Leaf.self, deep) == [])
        let limit = CodecLimits.groupDepth
        let open = [UInt8](repeating: 11 * 8 + 3, count: limit)
        let close = [UInt8](repeating: 11 * 8 + 4, count: limit)
        #expect(try echo(Leaf.self, open + close) == [])
        let error = error { () throws(CodecError) in
            try echo(Leaf.self, [11 * 8 + 3] + open + close + [11 * 8 + 4])
        }
        #expect(error?.code == .tooDeep)
    }

    /// Messages inside one another, which kill libprotobuf-c, each time in one of the fields that
    /// contain themselves.
    @Test(
        arguments: [
            ("first", [2]), ("rest", [3]), ("grafted", [5]), ("by_number", [4, 2]),
            ("grove.trees", [7, 1]),
        ] as [(String, [UInt64])])
    func messagesNestAsDeepAsTheLimitAndNoDeeper(_ name: String, _ numbers: [UInt64]) throws {
        func nested(_ levels: Int) -> [UInt8] {
            (0..<levels).reduce([]) { bytes, level in
                counted(numbers[numbers.count - 1 - level % numbers.count], bytes)
            }
        }
        let limit = CodecLimits.messageDepth
        #expect(limit % numbers.count == 0)
        let within = nested(limit)
        let meaning = try echo(Tree.self, within)
        #expect(try witnessEcho(Tree.self, within) == meaning)
        #expect(!meaning.isEmpty)
        for levels in [limit + 1, 10_000] {
            // It is built from the outside in, so that the outermost field is the tree's.
            let padding = (numbers.count - levels % numbers.count) % numbers.count
            let beyond = nested(levels + padding)
            let refusal = error { () throws(CodecError) in try echo(Tree.self, beyond) }
            #expect(refusal?.code == .tooDeep, "\(levels) levels")
            #expect(throws: WireReader.WireError.tooDeep) { try witnessEcho(Tree.self, beyond) }
        }
        let answers = try Google.answers(to: [
            "echo relation.test.v1.Tree \(hex(within))",
            "echo relation.test.v1.Tree \(hex(nested(limit + numbers.count)))",
        ])
        #expect(answers == [meaning, nil])
    }

    @Test func whatWouldNestTooDeepIsNotWritten() throws {
        func tree(_ levels: Int, _ wrap: (Tree) -> Tree) -> Tree {
            (0..<levels).reduce(Tree()) { tree, _ in wrap(tree) }
        }
        func under(_ change: (inout Tree) -> Void) -> Tree {
            var tree = Tree()
            change(&tree)
            return tree
        }
        let limit = CodecLimits.messageDepth
        let wraps: [(cost: Int, wrap: (Tree) -> Tree)] = [
            (1, { inner in under { $0.first = Boxed(inner) } }),
            (1, { inner in under { $0.rest = [inner] } }),
            (1, { inner in under { $0.kind = .grafted(inner) } }),
            (2, { inner in under { $0.byNumber = [7: inner] } }),
            (2, { inner in under { $0.grove = Grove(trees: [inner]) } }),
        ]
        for (cost, wrap) in wraps {
            let within = tree(limit / cost, wrap)
            let bytes = try encode(within)
            #expect(bytes == WireWriter.encode(within))
            #expect(try echo(Tree.self, bytes) == bytes)
            let beyond = tree(limit / cost + 1, wrap)
            let refusal = error { () throws(CodecError) in try encode(beyond) }
            #expect(refusal?.code == .tooDeep)
            let written = error { () throws(CodecError) in
                try Arena.temporary { (arena) throws(CodecError) in try beyond.json(arena) }
            }
            #expect(written?.code == .tooDeep || cost == 2)
        }
    }

    @Test func aSingularMessageThatComesTwiceIsMerged() throws {
        // {a: 1, r: [1]} and then {s: "q", r: [2]}.
        try expectMeaning(
            Branch.self,
            counted(1, wire(8, 1, counted(4, [1])))
                + counted(1, wire(counted(2, wire("q")), 32, 2)),
            counted(1, wire(8, 1, counted(2, wire("q")), counted(4, [1, 2]))))
        try expectMeaning(
            Everything.self,
            WireWriter.varint(200 << 3 | 2) + wire(4, counted(1, [8, 1]))
                + WireWriter.varint(200 << 3 | 2) + wire(5, counted(1, counted(2, wire("q")))),
            WireWriter.varint(200 << 3 | 2) + wire(7, counted(1, wire(8, 1, counted(2, wire("q")))))
        )
        // A message kept as its bytes merges by concatenation, which means the same.
        let twice = counted(33, [8, 1]) + counted(33, counted(2, wire("q")))
        #expect(try echo(Everything.self, twice) == counted(33, wire(8, 1, counted(2, wire("q")))))
    }

    @Test func theLastCaseOfAOneofWins() throws {
        let a: [UInt8] = counted(3, [8, 1])
        let b: [UInt8] = counted(4, counted(2, wire("q")))
        let more: [UInt8] = counted(3, counted(2, wire("more")))
        try expectMeaning(Branch.self, a + b, b)
        try expectMeaning(Branch.self, a + [40, 7], [40, 7])
        try expectMeaning(Branch.self, a + more, counted(3, wire(8, 1, counted(2, wire("more")))))
        // A case that came before another one does not come back.
        try expectMeaning(Branch.self, a + b + more, more)
        try expectMeaning(Branch.self, a + [40, 7] + more, more)
        try expectMeaning(
            Branch.self, a + b + b + more + a, counted(3, wire(8, 1, counted(2, wire("more")))))
        // Cases of every size at one offset of the C struct.
        let text = counted(50, wire("text"))
        let flag = WireWriter.varint(55 << 3) + wire(1)
        let tint = WireWriter.varint(53 << 3) + wire(7)
        for (one, other) in [(text, flag), (flag, text), (tint, text), (text, tint), (flag, tint)] {
            try expectMeaning(Everything.self, one + other, other)
        }
        try expectMeaning(
            Everything.self, text + tint + [192, 12, 0, 240, 255, 255, 255, 15, 7],
            tint + [240, 255, 255, 255, 15, 7])
    }

    @Test func theLastCaseWinsWhereverItsNumberLies() throws {
        let leaf = { (payload: [UInt8]) in counted(6, payload) }
        let number = WireWriter.varint(300 << 3) + [7]
        let fields: [UInt8] = wire(8, 1, counted(3, wire("b")), counted(7, [1, 2]))
        try expectMeaning(Woven.self, fields + number, fields + number)
        try expectMeaning(
            Woven.self, number + fields + leaf([8, 1]),
            wire(8, 1, counted(3, wire("b")), leaf([8, 1]), counted(7, [1, 2])))
        try expectMeaning(Woven.self, leaf([8, 1]) + counted(2, wire("t")), counted(2, wire("t")))
        try expectMeaning(
            Woven.self, leaf([8, 1]) + [32, 1] + leaf(counted(2, wire("q"))),
            wire(32, 1, leaf(wire(8, 1, counted(2, wire("q"))))))
        // There are two `oneof`s, each with its own winner.
        try expectMeaning(
            Woven.self, wire(32, 1, number, 77, 1, 0, 0, 0, leaf([])),
            wire(leaf([]), 77, 1, 0, 0, 0))
    }

    @Test func numbersOfEveryFormAreReadPackedAndLoose() throws {
        let two = wire(5, 0, 0, 0, 6, 0, 0, 0)
        try expectMeaning(
            Numbers.self, wire(189, 1, 5, 0, 0, 0, counted(23, [6, 0, 0, 0])), counted(23, two))
        try expectMeaning(
            Numbers.self, counted(35, two),
            WireWriter.varint(35 << 3 | 5) + wire(5, 0, 0, 0)
                + WireWriter.varint(35 << 3 | 5) + wire(6, 0, 0, 0))
        try expectMeaning(
            Numbers.self, counted(32, [1, 2]),
            WireWriter.varint(32 << 3) + [1] + WireWriter.varint(32 << 3) + [2])
        for broken in [
            counted(23, [1, 2, 3]), counted(35, [1]), counted(26, [1, 2, 3, 4]), wire(29, 1, 2),
            counted(21, [0x80]),
        ] {
            let error = error { () throws(CodecError) in try echo(Numbers.self, broken) }
            #expect(error?.code == .malformed)
        }
        // In another form of number they are unknown fields.
        try expectMeaning(Numbers.self, wire(24, 1, 13, 1, 0, 0, 0, 57, two), [])
    }

    @Test func shortZigZagsOfLongVarintsAreCut() throws {
        let ten = [UInt8](repeating: 0xFF, count: 9) + [0x01]
        try expectMeaning(Numbers.self, wire(8, ten), wire(8, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F))
        var numbers = Numbers()
        numbers.s32 = ZigZag(.min)
        numbers.s64 = ZigZag(.min)
        #expect(try encode(numbers).count == 6 + 11)
        try expectMeaning(Numbers.self, encode(numbers), encode(numbers))
    }

    @Test func minusZeroIsWrittenAsAFloatToo() throws {
        var numbers = Numbers()
        numbers.real = -0.0
        let bytes = try encode(numbers)
        #expect(bytes == wire(61, 0, 0, 0, 0x80))
        try expectMeaning(Numbers.self, bytes, bytes)
    }

    @Test func keysOfEveryKindAreReadAndTheLastOfEqualOnesWins() throws {
        // The entries have a Boolean of two bytes, and no key.
        try expectMeaning(
            Maps.self, counted(1, wire(8, 0x80, 1, counted(2, wire("yes")))),
            counted(1, wire(8, 1, counted(2, wire("yes")))))
        try expectMeaning(
            Maps.self, counted(1, counted(2, wire("no"))),
            counted(1, wire(8, 0, counted(2, wire("no")))))
        // Negative keys go first.
        let minus = [UInt8](repeating: 0xFF, count: 9) + [1]
        try expectMeaning(
            Maps.self, counted(2, wire(8, 1, 16, 2)) + counted(2, wire(8, minus, 16, 3)),
            counted(2, wire(8, minus, 16, 3)) + counted(2, wire(8, 1, 16, 2)))
        try expectMeaning(
            Maps.self, counted(6, wire(8, 3, 16, 1)) + counted(6, wire(8, 3, 16, 2)),
            counted(6, wire(8, 3, 16, 2)))
    }

    @Test func theLastOfEqualKeysWins() throws {
        let one = counted(42, wire(counted(1, wire("k")), 16, 1))
        let two = counted(42, wire(counted(1, wire("k")), 16, 2))
        try expectMeaning(Everything.self, one + two, two)
        try expectMeaning(Everything.self, two + one, one)
        // Whole entries replace one another; they do not merge.
        let child = counted(43, wire(counted(1, wire("k")), counted(2, [8, 1])))
        let other = counted(43, wire(counted(1, wire("k")), counted(2, counted(2, wire("q")))))
        try expectMeaning(Everything.self, child + other, other)
    }

    @Test func anEntryWithoutKeyOrValueHasDefaults() throws {
        let nothing = wire(counted(1, []), 16, 0)
        try expectMeaning(Everything.self, counted(42, []), counted(42, nothing))
        try expectMeaning(
            Everything.self, counted(42, [16, 3]), counted(42, wire(counted(1, []), 16, 3)))
        try expectMeaning(
            Everything.self, counted(43, counted(1, wire("k"))),
            counted(43, wire(counted(1, wire("k")), counted(2, []))))
        try expectMeaning(
            Everything.self, counted(40, counted(1, wire("k"))),
            counted(40, wire(counted(1, wire("k")), counted(2, []))))
    }

    @Test func anEntryWithItsValueTwiceTakesTheLast() throws {
        try expectMeaning(
            Everything.self, counted(42, wire(counted(1, wire("k")), 16, 1, 16, 2)),
            counted(42, wire(counted(1, wire("k")), 16, 2)))
    }

    @Test func packedAndUnpackedAreBothRead() throws {
        let packed = counted(22, [1, 2, 3])
        let unpacked =
            WireWriter.varint(22 << 3) + [1] + WireWriter.varint(22 << 3) + [2]
            + counted(22, [3])
        try expectMeaning(Everything.self, unpacked, packed)
        let real = (0..<8).map { UInt8($0) }
        try expectMeaning(
            Everything.self, WireWriter.varint(26 << 3 | 1) + real + counted(26, real),
            counted(26, real + real))
        for broken in [counted(26, [1, 2, 3]), counted(22, [0x80]), counted(21, [0xFF])] {
            let error = error { () throws(CodecError) in try echo(Everything.self, broken) }
            #expect(error?.code == .malformed)
        }
    }

    @Test func anyNumberButZeroIsTrue() throws {
        let wide: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x10]
        try expectMeaning(Everything.self, wire(8, 2), wire(8, 1))
        try expectMeaning(Everything.self, wire(8, wide), wire(8, 1))
        try expectMeaning(Everything.self, wire(8, 0x80, 0), [])
        try expectMeaning(
            Everything.self, counted(21, wire(2, wide, 0, 0x80, 0)), counted(21, [1, 1, 0, 0]))
    }

    @Test func minusZeroIsWritten() throws {
        var message = Everything()
        message.real = -0.0
        let bytes = try encode(message)
        #expect(bytes == wire(49, 0, 0, 0, 0, 0, 0, 0, 0x80))
        try expectMeaning(Everything.self, bytes, bytes)
    }

    @Test func unknownEnumValuesSurvive() throws {
        for number: Int32 in [-1, 99, .min, .max, -3] {
            var message = Everything()
            message.colour = Colour(rawValue: number)
            message.colours = [Colour(rawValue: number), .red]
            let bytes = try encode(message)
            try expectMeaning(Everything.self, bytes, bytes)
            #expect(Colour(rawValue: number).isKnown == (number == -3))
        }
        #expect(Colour.green.name == "COLOUR_GREEN")
    }

    @Test func varintsOfTenBytesAreCutAndLongerOnesRefused() throws {
        let ten = [UInt8](repeating: 0xFF, count: 9) + [0x7F]
        try expectMeaning(
            Everything.self, wire(24, ten),
            wire(24, [UInt8](repeating: 0xFF, count: 9), 1))
        try expectMeaning(Everything.self, wire(32, ten), wire(32, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F))
        for broken in [
            wire(24, [UInt8](repeating: 0xFF, count: 10), 1),
            // Field 0, a tag of six bytes, a tag beyond 32 bits, wire types 6 and 7.
            [0, 1], [0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 1], [0x88, 0x80, 0x80, 0x80, 0x10, 1],
            [14, 1], [15, 1],
            // Lengths beyond the end and beyond five bytes.
            [58, 1], [58, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [58, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
            [49, 1, 2, 3], [0xFD, 0x0C, 1],
        ] {
            let error = error { () throws(CodecError) in try echo(Everything.self, broken) }
            #expect(error?.code == .malformed, "\(hex(broken))")
            #expect(throws: WireReader.WireError.malformed) {
                try witnessEcho(Everything.self, broken)
            }
        }
    }

    @Test func whatIsUnknownIsDroppedOrKeptAsTheMessageAsks() throws {
        var new = NewKeeper()
        new.a = 5
        new.added = "later"
        new.more = [1, -1]
        new.late = 2.5
        let bytes = try encode(new)
        let dropped = try echo(Leaf.self, wire(counted(99, wire("gone")), 8, 1))
        #expect(dropped == [8, 1])
        try Arena.temporary { arena in
            var old = try Coder(Keeper.self).message(bytes, arena)
            #expect(old.a == 5)
            old.a = 6
            let again = try Coder(Keeper.self).bytes(old, arena)
            #expect(again == WireWriter.encode(old))
            new.a = 6
            #expect(try decode(NewKeeper.self, again) == new)
        }
        let group = wire(11 * 8 + 3, 8, 1, 11 * 8 + 4)
        for strange in [
            group, counted(536_870_911, [1]), group + [8, 1] + group,
            counted(6, [8, 1]) + group + counted(6, counted(2, wire("q"))),
        ] {
            let google = try Google.answers(to: ["keep relation.test.v1.Keeper \(hex(strange))"])
            let ours = try Arena.temporary { (arena) throws(CodecError) in
                try Coder(Keeper.self).bytes(
                    try Coder(Keeper.self).message(strange, arena), arena)
            }
            #expect(google == [ours])
            #expect(try witnessEcho(Keeper.self, strange) == ours)
        }
    }

    @Test func aMessageHoldsSoManyUnknownFieldsAndNoMore() throws {
        let most = CodecLimits.unknownFields
        let unknown = wire((99 * 8) & 0x7F | 0x80, (99 * 8) >> 7, 1)
        let many = [[UInt8]](repeating: unknown, count: most).flatMap { $0 }
        // Unknown fields of the messages inside count too, and known fields around them stay.
        let inside = counted(1, wire([8, 5], [UInt8](many.dropLast(unknown.count))))
        #expect(try echo(Branch.self, inside + unknown) == counted(1, [8, 5]))
        #expect(
            try echo(Leaf.self, wire([8, 5], many, counted(2, wire("x"))))
                == wire([8, 5], counted(2, wire("x"))))
        for flood in [wire(counted(1, [8, 5]), many, unknown), wire(inside, unknown, unknown)] {
            Arena.temporary { arena in
                let refusal = error { () throws(CodecError) in
                    try Coder(Branch.self).message(flood, arena)
                }
                #expect(refusal?.code == .tooManyUnknown)
                #expect(refusal?.message.hasSuffix("more than 100000 unknown fields") == true)
                #expect(arena.usedBytes == 0)
            }
        }
        // A group is one field, however many are in it.
        let group = wire(11 * 8 + 3, many, unknown, 11 * 8 + 4)
        #expect(try echo(Leaf.self, wire(group, 8, 5)) == [8, 5])
    }

    /// Lengths that are known only when a part is written have the form of a long one.
    @Test func partsThatAreRewrittenMayBeLongAndDeep() throws {
        let long = counted(2, wire(String(repeating: "x", count: 300)))
        let unknown = counted(99, wire("gone"))
        let part = counted(1, wire(unknown, long, unknown))
        try expectMeaning(
            Branch.self, wire(part, unknown, counted(1, wire(unknown, 8, 7)), unknown),
            counted(1, wire(8, 7, long)))
        var deep = unknown
        for _ in 0..<CodecLimits.messageDepth { deep = counted(1, wire(unknown, deep, unknown)) }
        #expect(try echo(Endless.self, deep) == witnessEcho(Endless.self, deep))
    }

    @Test func emptyMessagesByTheMillionAreRefusedBeforeTheyTakeMemory() throws {
        Arena.temporary { arena in
            let flood = [UInt8](repeating: 0, count: 1 << 20).enumerated().map {
                $0.offset % 2 == 0 ? UInt8(2 * 8 + 2) : 0
            }
            #expect(
                error { () throws(CodecError) in try Coder(Branch.self).message(flood, arena) }?
                    .code == .tooLarge)
            // The guard refused it, so no memory was taken.
            #expect(arena.usedBytes == 0)
        }
    }

    @Test(
        arguments: [
            (22, [UInt8](repeating: 1, count: 3 << 20)), (27, []), (28, []), (34, []), (40, []),
            (43, []),
        ] as [(UInt64, [UInt8])])
    func everyListHasItsBudget(_ number: UInt64, _ payload: [UInt8]) throws {
        let record = counted(number, payload)
        let count = CodecLimits.maxMessageBytes / record.count
        let bytes = [[UInt8]](repeating: record, count: max(count, 1)).flatMap { $0 }
        let refusal = error { () throws(CodecError) in try echo(Everything.self, bytes) }
        #expect(refusal?.code == .tooLarge)
    }

    @Test func anHonestMessageOfTheLargestSizeFits() throws {
        try Arena.temporary { arena in
            var message = Everything()
            message.views = [Text](repeating: "a user of 33 bytes, as some have", count: 110_000)
            let bytes = try Coder(Everything.self).bytes(message, arena)
            #expect(bytes.count < CodecLimits.maxMessageBytes)
            #expect(bytes.count > CodecLimits.maxMessageBytes * 9 / 10)
            #expect(try Coder(Everything.self).message(bytes, arena).views.count == 110_000)
        }
    }

    @Test func whatTheLibraryCannotCountIsRefused() throws {
        // No input is read beyond its first byte: the size alone decides.
        try Arena.temporary { arena in
            let start: UnsafeMutableRawPointer = try #require(arena.allocate(16))
            let long = UnsafeRawBufferPointer(
                start: start, count: CodecLimits.longestEncodingBytes + 1)
            let reading = error { () throws(CodecError) in
                try Coder(Leaf.self).read(long, arena)
            }
            #expect(reading?.code == .tooLarge)
            var message = Everything()
            message.page = [Encoded(borrowing: long)]
            let writing = error { () throws(CodecError) in
                try Coder(Everything.self).bytes(message, arena)
            }
            #expect(writing?.code == .tooLarge)
        }
    }

    @Test func aMapWhoseKeysFindNoRoomIsNotWritten() throws {
        Arena.temporary(capacity: 4096) { arena in
            var info = ErrorInfo()
            info.metadata = [String(repeating: "k", count: 4000): ""]
            let refusal = error { () throws(CodecError) in
                try Coder(ErrorInfo.self).bytes(info, arena)
            }
            #expect(refusal?.code == .outOfMemory)
        }
    }

    @Test func aFullArenaIsAnErrorAndNotACrash() throws {
        var random = Leaf()
        random.s = String(repeating: "x", count: 3000)
        var branch = Branch()
        branch.leaves = [Leaf](repeating: random, count: 10)
        let bytes = try encode(branch)
        for filled in stride(from: 0, to: 65_536, by: 512) {
            try Arena.temporary(capacity: 65_536) { arena in
                let whole = Arena.temporary { $0.capacity }
                #expect(whole == CodecLimits.arenaBytes)
                _ = try #require(arena.allocate(filled))
                for _ in 0..<2 {
                    let refusals = [
                        error { () throws(CodecError) in
                            try Coder(Branch.self).message(bytes, arena)
                        },
                        error { () throws(CodecError) in
                            try Coder(Branch.self).bytes(branch, arena)
                        },
                    ]
                    for case let refusal? in refusals { #expect(refusal.code == .outOfMemory) }
                }
            }
        }
    }
}
