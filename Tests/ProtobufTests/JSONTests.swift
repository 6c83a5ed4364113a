import Memory
import Protobuf
import ProtobufWitness
import Testing

/// Proto3's JSON, written and read, with Google as the judge.
struct JSONTests {
    private func json<M: CodedMessage>(_ message: M) throws(CodecError) -> String {
        try Arena.temporary { (arena) throws(CodecError) in try message.json(arena) }
    }

    private func bytes<M: CodedMessage>(_ type: M.Type, json: String) throws(CodecError) -> [UInt8]
    {
        try Arena.temporary { (arena) throws(CodecError) in
            WireWriter.encode(try M(json: json, arena))
        }
    }

    private func samples<M: CodedMessage>(_ type: M.Type) -> [[UInt8]] {
        (0..<200).map { seed in
            Arena.temporary { arena in
                var random = RandomMessages(seed: UInt64(9000 + seed), arena)
                return WireWriter.encode(random.next(M.self))
            }
        }
    }

    private func json<M: CodedMessage>(_ type: M.Type, _ bytes: [UInt8]) throws(CodecError)
        -> String
    {
        try Arena.temporary { (arena) throws(CodecError) in
            try Coder(M.self).message(bytes, arena).json(arena)
        }
    }

    @Test(arguments: RoundTripTests.types)
    func googleReadsOurJSON(_ type: any CodedMessage.Type) throws {
        let samples = samples(type)
        let requests = try samples.map { sample in
            let text = try json(type, sample)
            return "parse \(type.schema.fullName) \(hex([UInt8](text.utf8)))"
        }
        // The implementation is not upb, which sorts the keys of maps in its own way.
        for (sample, answer) in zip(samples, try Google.answers(to: requests, by: .python)) {
            #expect(answer == sample, "\(hex(sample))")
        }
    }

    @Test(arguments: RoundTripTests.types)
    func weReadGooglesJSON(_ type: any CodedMessage.Type) throws {
        let samples = samples(type)
        let answers = try Google.answers(
            to: samples.map { "json \(type.schema.fullName) \(hex($0))" })
        for (sample, answer) in zip(samples, answers) {
            let text = String(decoding: try #require(answer), as: UTF8.self)
            #expect(try bytes(type, json: text) == sample, "\(text)")
        }
    }

    @Test(arguments: [
        (#"{"optI64": "9223372036854775807"}"#, #"{"opt_i64": 9223372036854775807}"#),
        (#"{"i32": 1e3}"#, #"{"i32": "1000"}"#), (#"{"i32": 5.0}"#, #"{"i32": 5}"#),
        (#"{"colour": "COLOUR_GREEN"}"#, #"{"colour": 7}"#),
        (#"{"data": "-_8="}"#, #"{"data": "+/8"}"#),
        (#"{"name": null, "leaf": null, "names": null}"#, "{}"),
        (#"{"name": "\u00e9\ud83d\ude00\n"}"#, "{\"name\": \"é😀\\n\"}"),
        (#"{"real": "1.5"}"#, #"{"real": 1.5}"#),
        (#" { "leaf" : { } } "#, #"{"leaf":{}}"#),
    ])
    func twoFormsMeanTheSame(_ one: String, _ other: String) throws {
        #expect(try bytes(Everything.self, json: one) == bytes(Everything.self, json: other))
    }

    @Test(arguments: [
        (#"{"nme": 1}"#, "nme: relation.test.v1.Everything has no such field"),
        (
            #"{"leaves": [{}, {"b": 1}]}"#,
            "leaves[1].b: relation.test.v1.Leaf has no such field"
        ),
        (#"{"i32": 2147483648}"#, "i32: a value of type int32 was expected"),
        (#"{"i32": 1.5}"#, "i32: a value of type int32 was expected"),
        (#"{"i32": "0x10"}"#, "i32: a value of type int32 was expected"),
        (#"{"u32": -1}"#, "u32: a value of type uint32 was expected"),
        (#"{"flag": 1}"#, "flag: a value of type bool was expected"),
        (#"{"real": 1e999}"#, "real: a value of type double was expected"),
        (#"{"data": "*"}"#, "data: a string in base64 was expected"),
        (
            #"{"colour": "COLOUR_BLUE"}"#,
            "colour: a name or a number of relation.test.v1.Colour was expected: \(colours)"
        ),
        (#"{"names": "x"}"#, "names: a list was expected"),
        (#"{"names": [null]}"#, "names[0]: null is not an element"),
        (#"{"counts": {"k": "x"}}"#, #"counts["k"]: a value of type int64 was expected"#),
        (
            #"{"children": {"k": {"z": 1}}}"#,
            #"children["k"].z: relation.test.v1.Leaf has no such field"#
        ),
        (
            #"{"text": "a", "amount": 1}"#,
            "amount: another field of the same oneof is there as well"
        ),
        (
            #"{"optI32": 1, "opt_i32": 2}"#,
            "opt_i32: the field comes twice, under both its names"
        ),
        ("[]", "the request: an object was expected"),
        (#"{"i32": 1,}"#, "JSON, byte 10: a key should be here"),
        (#"{"i32": 1, "i32": 2}"#, #"JSON, byte 16: the key "i32" comes twice"#),
        (#"{"i32": 01}"#, "JSON, byte 9: the object should go on or end here"),
        (#"{"name": "\ud83d"}"#, "JSON, byte 16: half a surrogate pair"),
        (#"{"name": "a"#, "JSON, byte 11: the string does not end"),
        ("{} x", "JSON, byte 3: text after the value"),
        ("", "JSON, byte 0: the text ends where a value should be"),
    ])
    func errorsSayWhereTheyAre(_ text: String, _ message: String) {
        let refusal = error { () throws(CodecError) in
            try bytes(Everything.self, json: text)
        }
        #expect(refusal?.code == .invalidJSON)
        #expect(refusal?.message == message)
    }

    @Test(arguments: [
        // Blanks, signs and zeros that JSON does not allow in numbers.
        #"{"i32": " 5"}"#, #"{"i32": "5 "}"#, #"{"i32": "\n5"}"#, #"{"i32": ""}"#,
        #"{"i64": "\t7"}"#, #"{"u64": " 7 "}"#, #"{"real": " 1.5"}"#, #"{"real": "1.5 "}"#,
        #"{"i32": "+5"}"#, #"{"i32": "05"}"#, #"{"colour": " 7"}"#, #"{"real": " NaN"}"#,
        // A loose bit, with two, four or six bits too many, and incomplete padding.
        #"{"data": "AB=="}"#, #"{"data": "AB"}"#, #"{"data": "AAF="}"#, #"{"data": "AAF"}"#,
        #"{"data": "A"}"#, #"{"data": "AA="}"#, #"{"data": "AA==="}"#, #"{"data": "A A="}"#,
        #"{"data": "=="}"#, #"{"blobs": {"k": "-_9="}}"#,
    ])
    func aLooseSpellingOfAValueIsRefused(_ text: String) throws {
        let refusal = error { () throws(CodecError) in
            try bytes(Everything.self, json: text)
        }
        #expect(refusal?.code == .invalidJSON, "\(text)")
    }

    @Test(
        arguments: [
            (#"{"s32": -3, "s64": "-4", "f32": 5, "f64": "6", "sf32": -7, "sf64": "-8"}"#, nil),
            (#"{"s64": -4, "f64": 6, "sf64": -8}"#, #"{"s64": "-4", "f64": "6", "sf64": "-8"}"#),
            (#"{"real": "NaN", "optReal": "-Infinity", "reals": ["Infinity", 1.5, 1e-45]}"#, nil),
            (#"{"real": 3.4028234663852886e38, "optReal": "0.1"}"#, nil),
            (#"{"looseI32s": [1, 2], "oneF64": "9"}"#, nil),
        ] as [(String, String?)])
    func everyFormOfNumberIsInJSON(_ text: String, _ other: String?) throws {
        let ours = try bytes(Numbers.self, json: text)
        let requests = ["parse relation.test.v1.Numbers \(hex([UInt8](text.utf8)))"]
        #expect(try Google.answers(to: requests) == [ours])
        if let other { #expect(try bytes(Numbers.self, json: other) == ours) }
    }

    @Test(arguments: [
        (#"{"real": 3.5e38}"#, "real: a value of type float was expected"),
        (#"{"f32": -1}"#, "f32: a value of type fixed32 was expected"),
        (#"{"s32": 2147483648}"#, "s32: a value of type sint32 was expected"),
        (#"{"looseI32s": [1, "x"]}"#, "loose_i32s[1]: a value of type int32 was expected"),
    ])
    func numbersOutOfTheirBoundsAreRefused(_ text: String, _ message: String) {
        let refusal = error { () throws(CodecError) in try bytes(Numbers.self, json: text) }
        #expect(refusal?.message == message)
    }

    @Test func keysAreStringsInJSON() throws {
        var maps = Maps()
        maps.byFlag = [true: "y", false: "n"]
        maps.byI32 = [-2: 1, 10: 3, 9: 2]
        maps.byU64 = [.max: .red]
        maps.bySf64 = [-5: 0.5]
        let text =
            #"{"byFlag":{"false":"n","true":"y"},"byI32":{"-2":1,"9":2,"10":3},"#
            + #""byU64":{"18446744073709551615":"COLOUR_RED"},"bySf64":{"-5":0.5}}"#
        #expect(try json(maps) == text)
        #expect(try bytes(Maps.self, json: text) == encode(maps))
        for (broken, message) in [
            (#"{"byI32": {"x": 1}}"#, #"by_i32["x"]: a key of type int32 was expected"#),
            (#"{"byI32": {"1.0": 1}}"#, #"by_i32["1.0"]: a key of type int32 was expected"#),
            (#"{"byI32": {" 1": 1}}"#, #"by_i32[" 1"]: a key of type int32 was expected"#),
            (#"{"byU32": {"-1": ""}}"#, #"by_u32["-1"]: a key of type uint32 was expected"#),
            (#"{"byFlag": {"1": ""}}"#, #"by_flag["1"]: a key of type bool was expected"#),
            (#"{"byI32": {"1": null}}"#, #"by_i32["1"]: null is not a value"#),
        ] {
            let refusal = error { () throws(CodecError) in try bytes(Maps.self, json: broken) }
            #expect(refusal?.message == message)
        }
    }

    @Test func jsonDepthIsBounded() throws {
        let limit = CodecLimits.jsonDepth
        let brackets = { (count: Int) in
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        let within = error { () throws(CodecError) in
            try bytes(Leaf.self, json: brackets(limit))
        }
        #expect(within?.code == .invalidJSON)
        let beyond = error { () throws(CodecError) in
            try bytes(Leaf.self, json: brackets(limit + 1))
        }
        #expect(beyond?.code == .tooDeep)
    }

    @Test func defaultsAreWrittenOnRequest() throws {
        let text = try Arena.temporary { (arena) throws(CodecError) in
            try Leaf().json(arena, includesDefaults: true)
        }
        #expect(text == #"{"a":0,"s":"","r":[]}"#)
    }
}
