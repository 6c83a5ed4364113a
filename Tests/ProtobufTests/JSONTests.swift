import Protobuf
import ProtobufWitness
import Testing

/// Proto3's JSON, both ways, with Google as the judge.
struct JSONTests {
    private func json<M: Message>(_ message: M) throws(CodecError) -> String {
        try Arena.temporary { (arena) throws(CodecError) in try message.json(arena) }
    }

    private func bytes<M: Message>(_ type: M.Type, json: String) throws(CodecError) -> [UInt8] {
        try Arena.temporary { (arena) throws(CodecError) in
            WireWriter.encode(try M(json: json, arena))
        }
    }

    private func samples() -> [[UInt8]] {
        (0..<200).map { seed in
            Arena.temporary { arena in
                var random = RandomMessages(seed: UInt64(9000 + seed), arena)
                return WireWriter.encode(random.next(Everything.self))
            }
        }
    }

    @Test func googleReadsOurJSON() throws {
        let samples = samples()
        let requests = try samples.map { sample in
            let text = try Arena.temporary { (arena) throws(CodecError) in
                try Coder(Everything.self).message(sample, arena).json(arena)
            }
            return "parse relation.test.v1.Everything \(hex([UInt8](text.utf8)))"
        }
        // Not upb, which sorts the keys of maps its own way.
        for (sample, answer) in zip(samples, try Google.answers(to: requests, by: .python)) {
            #expect(answer == sample, "\(hex(sample))")
        }
    }

    @Test func weReadGooglesJSON() throws {
        let samples = samples()
        let answers = try Google.answers(
            to: samples.map { "json relation.test.v1.Everything \(hex($0))" })
        for (sample, answer) in zip(samples, answers) {
            let text = String(decoding: try #require(answer), as: UTF8.self)
            #expect(try bytes(Everything.self, json: text) == sample, "\(text)")
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
            "colour: a name or a number of relation.test.v1.Colour was expected"
        ),
        (#"{"names": "x"}"#, "names: a list was expected"),
        (#"{"names": [null]}"#, "names[0]: null is no element"),
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
    func faultsSayWhereTheyAre(_ text: String, _ message: String) {
        let refusal = error { () throws(CodecError) in
            try bytes(Everything.self, json: text)
        }
        #expect(refusal?.code == .invalidJSON)
        #expect(refusal?.message == message)
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

    @Test func wellKnownMessagesAreStrings() throws {
        #expect(try json(FieldMask(["remark", "user_id.first"])) == #""remark,userId.first""#)
        #expect(
            try decode(FieldMask.self, bytes(FieldMask.self, json: #""remark,userId""#)).paths
                == ["remark", "user_id"])
        #expect(try bytes(FieldMask.self, json: #""""#) == [])
        for (duration, text) in [
            (DurationMessage(seconds: 1), "1s"),
            (DurationMessage(seconds: 1, nanos: 500_000_000), "1.500s"),
            (DurationMessage(seconds: 0, nanos: -1), "-0.000000001s"),
            (DurationMessage(seconds: -3, nanos: -20_000), "-3.000020s"),
        ] {
            #expect(try json(duration) == "\"\(text)\"")
            #expect(
                try decode(
                    DurationMessage.self, bytes(DurationMessage.self, json: "\"\(text)\""))
                    == duration)
        }
        for broken in [#""1""#, #""s""#, #""1.s""#, #""1.0000000001s""#, "1", #""+1s""#] {
            let refusal = error { () throws(CodecError) in
                try bytes(DurationMessage.self, json: broken)
            }
            #expect(refusal?.code == .invalidJSON, "\(broken)")
        }
    }

    @Test func defaultsAreWrittenOnRequest() throws {
        let text = try Arena.temporary { (arena) throws(CodecError) in
            try Leaf().json(arena, includesDefaults: true)
        }
        #expect(text == #"{"a":0,"s":"","r":[]}"#)
    }
}
