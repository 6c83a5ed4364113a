import Memory
import Protobuf
import ProtobufWitness
import Testing

/// Proto3's JSON from bytes to bytes, with Google and with our own messages as the judges.
struct JSONFormTests {
    @Test(arguments: RoundTripTests.types)
    func googleReadsTheJSONOfTheBytes(_ type: any CodedMessage.Type) throws {
        let form = JSONForm(type.schema)
        let samples = (0..<200).map { sample(type, seed: 41_000 + $0) }
        for includesDefaults in [false, true] {
            let requests = try samples.map {
                "parse \(type.schema.fullName) "
                    + hex(try form.json($0, includesDefaults: includesDefaults))
            }
            // The implementation is not upb, which sorts the keys of maps in its own way.
            for (sample, answer) in zip(samples, try Google.answers(to: requests, by: .python)) {
                #expect(answer == sample, "\(hex(sample))")
            }
        }
    }

    @Test(arguments: RoundTripTests.types)
    func googlesJSONIsReadAsTheBytesThatWeWrite(_ type: any CodedMessage.Type) throws {
        let form = JSONForm(type.schema)
        let seeds = 0..<200
        let bytes = try Google.answers(
            to: seeds.map { "random \(type.schema.fullName) \($0)" }, by: .python)
        let texts = try Google.answers(
            to: bytes.map { "json \(type.schema.fullName) \(hex($0 ?? []))" })
        for (seed, (bytes, text)) in zip(seeds, zip(bytes, texts)) {
            let (bytes, text) = (try #require(bytes), try #require(text))
            #expect(try form.bytes(text) == reencoded(type, bytes), "seed \(seed)")
            // And back, by our own writer.
            #expect(try form.bytes(form.json(bytes)) == reencoded(type, bytes), "seed \(seed)")
        }
    }

    /// Enums as numbers are the same message, for Google too.
    @Test(arguments: RoundTripTests.types)
    func enumsMayBeNumbers(_ type: any CodedMessage.Type) throws {
        let form = JSONForm(type.schema)
        let samples = (0..<200).map { sample(type, seed: 43_000 + $0) }
        let texts = try samples.map { try form.json($0, enumsAreNumbers: true) }
        for (sample, text) in zip(samples, texts) {
            #expect(try form.bytes(text) == sample)
        }
        let requests = texts.map { "parse \(type.schema.fullName) " + hex($0) }
        for (sample, answer) in zip(samples, try Google.answers(to: requests, by: .python)) {
            #expect(answer == sample, "\(hex(sample))")
        }
        let names = type.schema.reachable().enums.flatMap { $0.values.map { "\"\($0.name)\"" } }
        for text in texts {
            let text = String(decoding: text, as: UTF8.self)
            #expect(!names.contains { text.contains(":\($0)") }, "\(text)")
        }
    }

    @Test(arguments: RoundTripTests.types)
    func membersInAnyOrderAreTheSameMessage(_ type: any CodedMessage.Type) throws {
        let form = JSONForm(type.schema)
        var random = SeededGenerator(seed: 1_234)
        for seed in 0..<200 {
            let bytes = sample(type, seed: 42_000 + UInt64(seed))
            let tree = try JSONValue(
                parsing: String(decoding: try form.json(bytes), as: UTF8.self))
            let text = shuffled(tree, &random)
            #expect(try form.bytes(Array(text.utf8)) == bytes, "seed \(seed): \(text)")
        }
    }

    /// The text of a tree, each object in an order by chance, with blanks.
    private func shuffled(_ value: JSONValue, _ random: inout SeededGenerator) -> String {
        switch value {
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .number(let text): return text
        case .string(let text): return escaped(text, &random)
        case .array(let elements):
            return "[ \(elements.map { shuffled($0, &random) }.joined(separator: ",\n")) ]"
        case .object(let members):
            let members = members.shuffled(using: &random).map {
                "\(escaped($0.key, &random)) :\t\(shuffled($0.value, &random))"
            }
            return "{\(members.joined(separator: " , "))}"
        }
    }

    /// A string in which some characters are escapes that need not be.
    private func escaped(_ text: String, _ random: inout SeededGenerator) -> String {
        var result = "\""
        for unit in text.utf16 {
            let scalar = Unicode.Scalar(unit)
            let isPlain = scalar.map { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" } ?? false
            if isPlain, let scalar, Int.random(in: 0..<8, using: &random) > 0 {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result + "\""
    }

    @Test(arguments: RoundTripTests.types)
    func recordsInAnyOrderAreTheSameJSON(_ type: any CodedMessage.Type) throws {
        let form = JSONForm(type.schema)
        var random = SeededGenerator(seed: 4_321)
        for seed in 0..<200 {
            // Two messages, one after the other, are their merge, with all that may come twice.
            let one = sample(type, seed: 43_000 + UInt64(seed))
            let other = sample(type, seed: 44_000 + UInt64(seed))
            let joined = one + other
            let merged = try reencoded(type, joined)
            let text = try form.json(joined)
            #expect(try text == form.json(merged), "seed \(seed)")
            #expect(try form.json(form.bytes(text)) == text, "seed \(seed)")
            let mixed = try shuffledRecords(joined, &random)
            #expect(
                try form.json(mixed) == form.json(try reencoded(type, mixed)), "\(hex(mixed))")
        }
    }

    /// The records of a message in an order by chance.
    private func shuffledRecords(
        _ bytes: [UInt8], _ random: inout SeededGenerator
    ) throws -> [UInt8] {
        var records: [ArraySlice<UInt8>] = []
        try bytes.withUnsafeBytes { buffer in
            var walk = FieldWalk(buffer)
            var start = 0
            while try walk.next() != nil {
                records.append(bytes[start..<walk.offset])
                start = walk.offset
            }
        }
        return records.shuffled(using: &random).flatMap { $0 }
    }

    @Test func theMessagesOwnFormsGiveTheSame() throws {
        // Unknown fields and groups, wrong wire types, zeros that need not be there, long numbers.
        let form = JSONForm(Everything.schema)
        let group = wire(11 * 8 + 3, 8, 1, 11 * 8 + 4)
        for (bytes, text) in [
            (wire(8, 0, 16, 0, counted(7, [])), "{}"),
            (wire(8, 5), #"{"flag":true}"#),
            (wire(16, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F), #"{"i32":-1}"#),
            (wire(16, 0x81, 0x80, 0x80, 0x80, 0x10), #"{"i32":1}"#),
            (WireWriter.varint(99 << 3 | 2) + wire(1, 7, counted(7, wire("x"))), #"{"name":"x"}"#),
            (wire(7 * 8, 3, counted(7, wire("x"))), #"{"name":"x"}"#),
            (wire(counted(22, []), counted(22, [])), "{}"),
            (counted(31, group), #"{"leaf":{}}"#),
            (counted(40, []), #"{"labels":{"":""}}"#),
            (counted(43, counted(1, wire("k"))), #"{"children":{"k":{}}}"#),
            (
                counted(43, counted(2, [8, 1]) + counted(1, wire("k"))),
                #"{"children":{"k":{"a":1}}}"#
            ),
            (
                counted(43, counted(2, [8, 1]) + counted(2, counted(2, wire("q")))),
                #"{"children":{"":{"a":1,"s":"q"}}}"#
            ),
            (
                counted(40, counted(1, wire("b"))) + counted(40, counted(1, wire("a")))
                    + counted(40, counted(1, wire("b")) + counted(2, wire("z"))),
                #"{"labels":{"a":"","b":"z"}}"#
            ),
        ] {
            let written = String(decoding: try form.json(bytes), as: UTF8.self)
            #expect(written == text, "\(hex(bytes))")
            #expect(try json(Everything.self, bytes) == text, "\(hex(bytes))")
        }
        #expect(throws: CodecError.self) { try form.json(wire(11 * 8 + 3)) }
    }

    @Test func aLongMessageHasItsLengthInEveryWidth() throws {
        let form = JSONForm(Branch.schema)
        for count in [0, 1, 119, 120, 121, 122, 123, 124, 125, 16_376, 16_379, 16_380, 70_000] {
            let text = String(repeating: "x", count: count)
            let json = #"{"leaf":{"s":"\#(text)"},"leaves":[{"s":"\#(text)"},{"a":1}]}"#
            var branch = Branch()
            branch.leaf = Leaf()
            branch.leaf?.s = text
            branch.leaves = [Leaf(), Leaf()]
            branch.leaves[0].s = text
            branch.leaves[1].a = 1
            let bytes = try encode(branch)
            #expect(try form.bytes(Array(json.utf8)) == bytes, "\(count) bytes")
            let written = count == 0 ? #"{"leaf":{},"leaves":[{},{"a":1}]}"# : json
            #expect(try form.json(bytes) == Array(written.utf8), "\(count) bytes")
        }
    }

    @Test func everyEscapeIsReadAndWritten() throws {
        let form = JSONForm(Leaf.schema)
        let all = (0...0x7F).map { String(Unicode.Scalar(UInt8($0))) }.joined() + "é好😀\u{FFFF}"
        for before in 0..<9 {
            // Each character at each place of a word of eight bytes.
            for character in all.unicodeScalars {
                let text = String(repeating: "a", count: before) + String(character) + "bcdefghij"
                let bytes = counted(2, [UInt8](text.utf8))
                let json = try form.json(bytes)
                #expect(try form.bytes(json) == bytes)
                let tree = try JSONValue(parsing: String(decoding: json, as: UTF8.self))
                guard case .object(let members) = tree, case .string(text)? = members.first?.value
                else {
                    Issue.record("\(String(decoding: json, as: UTF8.self))")
                    return
                }
            }
        }
        let escapes = #"{"s":"\"\\\/\b\f\n\r\t\u0000\u00e9\u00C9\ud83D\uDE00"}"#
        let plain = "\"\\/\u{8}\u{C}\n\r\t\u{0}éÉ😀"
        #expect(try form.bytes(Array(escapes.utf8)) == counted(2, [UInt8](plain.utf8)))
        #expect(
            try form.json(counted(2, wire("\u{0}\u{1F}\u{7F}\"\\\n\r\t/")))
                == Array(#"{"s":"\u0000\u001f\u007f\"\\\n\r\t/"}"#.utf8))
        // A key may have escapes too.
        #expect(try form.bytes(Array(#"{"\u0073":"x"}"#.utf8)) == counted(2, wire("x")))
    }

    @Test(
        arguments: [
            ("i32", ["2147483647", "-2147483648", "-0", "2147483647.0", "2.147483647E9"]),
            ("i64", ["9223372036854775807", "-9223372036854775808", "1e18", "-0.0"]),
            ("u32", ["4294967295", "0", "42949672950e-1"]),
            (
                "u64",
                ["18446744073709551615", "10000000000000000000", "1e19", "9999999999999999999"]
            ),
            ("real", ["1.7976931348623157e308", "5e-324", "-0.0", "123456789012345678901"]),
        ] as [(String, [String])])
    func numbersAreReadUpToTheirBounds(_ name: String, _ texts: [String]) throws {
        let form = JSONForm(Everything.schema)
        for text in texts {
            let plain = #"{"\#(name)": \#(text)}"#
            let quoted = #"{"\#(name)": "\#(text)"}"#
            let answer = try Google.answers(to: [
                "parse relation.test.v1.Everything \(hex(Array(plain.utf8)))"
            ])
            #expect(try form.bytes(Array(plain.utf8)) == answer.first, "\(plain)")
            #expect(try form.bytes(Array(quoted.utf8)) == answer.first, "\(quoted)")
        }
    }

    @Test(
        arguments: [
            ("i32", ["2147483648", "-2147483649", "99999999999999999999", "1.5", "1e400"]),
            (
                "i64",
                [
                    "9223372036854775808", "-9223372036854775809", "1e19", "1e-999999", "1e-1",
                    "-1e-400", "0.1", "15e-1", "1e99999999999999999999", "1e-99999999999999999999",
                    "9223372036854775807.5", "1." + String(repeating: "0", count: 99_999) + "1",
                ]
            ),
            ("u32", ["4294967296", "-1"]),
            ("u64", ["18446744073709551616", "-1", "1e20", "99999999999999999999"]),
            ("real", ["1e309", "-1e309"]),
        ] as [(String, [String])])
    func numbersBeyondTheirBoundsAreRefused(_ name: String, _ texts: [String]) {
        let form = JSONForm(Everything.schema)
        for text in texts {
            for text in [text, "\"\(text)\"", "true", "{}", "[]", "\"\"", "\"x\""] {
                let refusal = error { () throws(CodecError) in
                    try form.bytes(Array(#"{"\#(name)": \#(text)}"#.utf8))
                }
                let isThere = refusal?.message.hasPrefix("\(name): a value of type ") ?? false
                #expect(isThere, "\(text): \(refusal?.message ?? "none")")
            }
        }
    }
}

extension JSONFormTests {
    /// No number is rounded on its way, as it would be by a floating-point number.
    @Test(
        arguments: [
            ("9007199254740993.0", 9_007_199_254_740_993), ("9.223372036854775807E+18", .max),
            ("-9223372036854775808000e-3", .min), ("1e2", 100), ("1E+2", 100), ("1.50e1", 15),
            ("100e-2", 1), ("0e999999", 0), ("-0e-999999", 0), ("0.00", 0), ("-0.0e5", 0),
            ("1" + String(repeating: "0", count: 99_999) + "e-99999", 1),
            ("0." + String(repeating: "0", count: 99_999) + "7e100000", 7),
            ("12." + String(repeating: "0", count: 99_999), 12),
        ] as [(String, Int64)])
    func anIntegerWithAnExponentIsReadExactly(_ text: String, _ value: Int64) throws {
        let form = JSONForm(Leaf.schema)
        for text in [text, "\"\(text)\""] {
            let bytes = try form.bytes(Array(#"{"o":\#(text)}"#.utf8))
            #expect(try form.json(bytes) == Array(#"{"o":"\#(value)"}"#.utf8))
        }
    }

    /// A member that is not a field is skipped with all that it holds, in a message of any level.
    @Test(arguments: [
        (#"{"nme":1,"i32":5}"#, #"{"i32":5}"#),
        (#"{"i32":5,"later":{"deep":[1,{"x":null}],"text":"\\"}}"#, #"{"i32":5}"#),
        (#"{"leaves":[{},{"b":[true],"a":1}]}"#, #"{"leaves":[{},{"a":1}]}"#),
        (#"{"later":1,"later":2}"#, "{}"),
    ])
    func whatIsNoFieldIsSkippedOnDemand(_ text: String, _ known: String) throws {
        let form = JSONForm(Everything.schema)
        let skipped = try form.bytes(Array(text.utf8), ignoresUnknown: true)
        #expect(try skipped == form.bytes(Array(known.utf8)))
        let refusal = error { () throws(CodecError) in try form.bytes(Array(text.utf8)) }
        #expect(refusal?.message.hasSuffix("has no such field") == true)
    }

    @Test(arguments: [
        #"{"later":[1,}"#, #"{"later":}"#, #"{"later""#, #"{"later":tru}"#, #"{"later":1 "i32":5}"#,
    ])
    func whatIsSkippedMustBeJSON(_ text: String) {
        let form = JSONForm(Everything.schema)
        let refusal = error { () throws(CodecError) in
            try form.bytes(Array(text.utf8), ignoresUnknown: true)
        }
        #expect(refusal?.message.hasPrefix("JSON, byte") == true)
    }

    @Test func theNamesOfAnEnumAreListedUpToABound() {
        let refusal = error { () throws(CodecError) in
            try JSONForm(WithManyNames.schema).bytes(Array(#"{"value":"X"}"#.utf8))
        }
        let message = refusal?.message ?? ""
        #expect(message.contains("VALUE_OF_A_LONG_ENUM_0, VALUE_OF_A_LONG_ENUM_1, "))
        #expect(message.hasSuffix(" more"))
        #expect(message.utf8.count < CodecLimits.listedNameBytes + 200)
    }
}

private struct ManyNames: OpenEnum, Scalar {
    let rawValue: Int32
    init(rawValue: Int32) { self.rawValue = rawValue }

    static let schema = EnumSchema(
        "relation.test.v1.ManyNames",
        (0..<200).map { (Int32($0), "VALUE_OF_A_LONG_ENUM_\($0)") })
}

private struct WithManyNames: CodedMessage, Hashable {
    var value = ManyNames()

    static let schema = Schema("relation.test.v1.WithManyNames", WithManyNames.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "value", &value)
    }
}

/// The bytes of a random message.
private func sample<M: CodedMessage>(_ type: M.Type, seed: UInt64) -> [UInt8] {
    Arena.temporary { arena in
        var random = RandomMessages(seed: seed, arena)
        return WireWriter.encode(random.next(M.self))
    }
}

/// The bytes as our encoder writes them.
private func reencoded<M: CodedMessage>(_ type: M.Type, _ bytes: [UInt8]) throws -> [UInt8] {
    try Arena.temporary { arena in
        try Coder(M.self).bytes(try Coder(M.self).message(bytes, arena), arena)
    }
}

/// The JSON by way of the message.
private func json<M: CodedMessage>(_ type: M.Type, _ bytes: [UInt8]) throws -> String {
    try Arena.temporary { arena in try Coder(M.self).message(bytes, arena).json(arena) }
}

extension JSONForm {
    /// The encoding of a text.
    func bytes(
        _ json: [UInt8], ignoresUnknown: Bool = false
    ) throws(CodecError) -> [UInt8] {
        let output = OutputBuffer(capacity: 16)
        try json.withUnsafeBufferPointer { (json) throws(CodecError) in
            try read(UnsafeRawBufferPointer(json), into: output, ignoresUnknown: ignoresUnknown)
        }
        return [UInt8](output.bytes)
    }

    /// The text of an encoding.
    func json(
        _ bytes: [UInt8], includesDefaults: Bool = false, enumsAreNumbers: Bool = false
    ) throws(CodecError) -> [UInt8] {
        let output = OutputBuffer(capacity: 16)
        try bytes.withUnsafeBufferPointer { (bytes) throws(CodecError) in
            try write(
                UnsafeRawBufferPointer(bytes), into: output, includesDefaults: includesDefaults,
                enumsAreNumbers: enumsAreNumbers)
        }
        return [UInt8](output.bytes)
    }
}
