import Memory
import Protobuf
import ProtobufWitness
import Testing

/// JSON and bytes that are refused: the words of the error, and the output, which is as before.
struct JSONErrorTests {
    private static let before: [UInt8] = [1, 2, 3]

    /// The refusal of a text by a form that appends to some bytes, which must stay as they are.
    private func refusal(
        _ form: JSONForm, reading text: [UInt8]
    ) -> CodecError? {
        let output = OutputBuffer(capacity: 16)
        output.append(Self.before)
        let refusal = error { () throws(CodecError) in
            try text.withUnsafeBufferPointer { (text) throws(CodecError) in
                try form.read(UnsafeRawBufferPointer(text), into: output)
            }
        }
        #expect([UInt8](output.bytes) == Self.before || refusal == nil)
        return refusal
    }

    private func refusal(_ form: JSONForm, writing bytes: [UInt8]) -> CodecError? {
        let output = OutputBuffer(capacity: 16)
        output.append(Self.before)
        let refusal = error { () throws(CodecError) in
            try bytes.withUnsafeBufferPointer { (bytes) throws(CodecError) in
                try form.write(UnsafeRawBufferPointer(bytes), into: output)
            }
        }
        #expect([UInt8](output.bytes) == Self.before || refusal == nil)
        return refusal
    }

    @Test(arguments: [
        (
            #"{"farBranch":{"leaves":[{"a":1},{"a":"x"}]}}"#,
            "far_branch.leaves[1].a: a value of type int32 was expected"
        ),
        (
            #"{"farBranch":{"leaves":[{"a":1},{"r":[1,2,{}]}]}}"#,
            "far_branch.leaves[1].r[2]: a value of type int32 was expected"
        ),
        (
            #"{"farBranch":{"leaves":[{"a":1},null]}}"#,
            "far_branch.leaves[1]: null is not an element"
        ),
        (
            #"{"children":{"a":{"a":1},"b.c":{"r":[0,true]}}}"#,
            #"children["b.c"].r[1]: a value of type int32 was expected"#
        ),
        (#"{"children":{"a":null}}"#, #"children["a"]: null is not a value"#),
        (#"{"children":[]}"#, "children: an object was expected"),
        (#"{"leaf":[]}"#, "leaf: an object was expected"),
        (#"{"leaf":"x"}"#, "leaf: an object was expected"),
        (#"{"leaves":{}}"#, "leaves: a list was expected"),
        (#"{"name":1}"#, "name: a value of type string was expected"),
        (#"{"names":["a",1]}"#, "names[1]: a value of type string was expected"),
        (#"{"flags":[true,"true"]}"#, "flags[1]: a value of type bool was expected"),
        (#"{"datas":["AA==","A"]}"#, "datas[1]: a string in base64 was expected"),
        (
            #"{"colours":[1,"COLOUR_NONE"]}"#,
            "colours[1]: a name or a number of relation.test.v1.Colour was expected: \(colours)"
        ),
        (
            #"{"colour":"1"}"#,
            "colour: a name or a number of relation.test.v1.Colour was expected: \(colours)"
        ),
        (
            #"{"colour":2147483648}"#,
            "colour: a name or a number of relation.test.v1.Colour was expected: \(colours)"
        ),
        (
            #"{"branch":{"left":{},"number":1}}"#,
            "branch.number: another field of the same oneof is there as well"
        ),
        (#"{"leaf":{"x\"y":1}}"#, #"leaf.x"y: relation.test.v1.Leaf has no such field"#),
        (#"{"optI32":null,"opt_i32":2}"#, "opt_i32: the field comes twice, under both its names"),
        ("null", "the request: an object was expected"),
        ("1", "the request: an object was expected"),
    ])
    func aRefusedValueIsNamedByItsPath(_ text: String, _ message: String) {
        let refusal = refusal(JSONForm(Everything.schema), reading: Array(text.utf8))
        #expect(refusal?.code == .invalidJSON)
        #expect(refusal?.message == message)
    }

    @Test(arguments: [
        (#"{"i32":1 "i64":2}"#, "JSON, byte 9: the object should go on or end here"),
        (#"{"i32" 1}"#, "JSON, byte 7: a colon should be here"),
        (#"{i32:1}"#, "JSON, byte 1: a key should be here"),
        (#"{"i32s":[1 2]}"#, "JSON, byte 11: the list should go on or end here"),
        (#"{"i32s":[1,]}"#, "JSON, byte 11: no value begins like this"),
        (#"{"i32s":[1"#, "JSON, byte 10: the list should go on or end here"),
        (#"{"i32":-}"#, "JSON, byte 8: a digit should be here"),
        (#"{"i32":1.}"#, "JSON, byte 9: a digit should be here"),
        (#"{"i32":1e}"#, "JSON, byte 9: a digit should be here"),
        (#"{"i32":tru}"#, "JSON, byte 7: no value begins like this"),
        (#"{"i32":nul}"#, "JSON, byte 7: no value begins like this"),
        (#"{"flag":fals"#, "JSON, byte 8: no value begins like this"),
        (#"{"flag":"#, "JSON, byte 8: the text ends where a value should be"),
        (#"{"name":"a\x"}"#, "JSON, byte 12: no such escape"),
        (#"{"name":"a\"#, "JSON, byte 11: the string does not end"),
        (#"{"name":"\u12g4"}"#, "JSON, byte 13: four hexadecimal digits should be here"),
        (#"{"name":"\udc00"}"#, "JSON, byte 15: half a surrogate pair"),
        (#"{"name":"\ud800\ud800"}"#, "JSON, byte 21: half a surrogate pair"),
        ("{\"name\":\"a\nb\"}", "JSON, byte 10: a control character must be escaped"),
        ("{\"name\":\"abcdefghijkl\u{1}\"}", "JSON, byte 21: a control character must be escaped"),
        (#"{"labels":{"b":"1","a":"2","b":"3"}}"#, #"JSON, byte 30: the key "b" comes twice"#),
        (#"{"labels":{"a":"1","a":"2"}}"#, #"JSON, byte 22: the key "a" comes twice"#),
        (#"{"\u006932":1,"i32":2}"#, #"JSON, byte 19: the key "i32" comes twice"#),
        // An error of the text is reported, even if a value before it would be refused.
        (#"{"i32":"x","i64":1]"#, "JSON, byte 18: the object should go on or end here"),
        (#"{"nme":1"#, "JSON, byte 8: the object should go on or end here"),
        ("\u{FEFF}{}", "JSON, byte 0: no value begins like this"),
        ("{}{}", "JSON, byte 2: text after the value"),
        ("   ", "JSON, byte 3: the text ends where a value should be"),
    ])
    func anErrorOfTheTextIsNamedByItsByte(_ text: String, _ message: String) {
        let refusal = refusal(JSONForm(Everything.schema), reading: Array(text.utf8))
        #expect(refusal?.code == .invalidJSON)
        #expect(refusal?.message == message)
    }

    @Test(
        arguments: [
            [0xFF], [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ] as [[UInt8]])
    func textsThatAreNotUTF8AreRefused(_ broken: [UInt8]) throws {
        let form = JSONForm(Everything.schema)
        for count in 0..<10 {
            let text = [UInt8](repeating: 0x61, count: count) + broken
            for json in [
                wire(#"{"name":""#, text, #""}"#), wire(#"{"name":"\n"#, text, #""}"#),
                wire(#"{"labels":{""#, text, #"":"x"}}"#), wire(#"{""#, text, #"":1}"#),
                wire(#"{"i32":"x","name":""#, text, #"abcdefghi"}"#),
            ] {
                #expect(refusal(form, reading: json)?.code == .invalidUTF8, "\(hex(json))")
            }
            for bytes in [
                counted(7, text), counted(27, text), counted(50, text), counted(9, text),
                counted(40, counted(1, text)), counted(40, counted(2, text)),
                counted(31, counted(2, text)), counted(34, counted(2, text)),
            ] {
                let refusal = refusal(form, writing: bytes)
                #expect(refusal?.code == .invalidUTF8, "\(hex(bytes))")
                #expect(refusal?.message.hasSuffix(" is not valid UTF-8") ?? false)
            }
        }
    }

    @Test(arguments: [
        ("08", "relation.test.v1.Everything.flag is malformed"),
        ("00", "relation.test.v1.Everything is malformed"),
        ("3a05", "relation.test.v1.Everything.name is malformed"),
        ("31", "relation.test.v1.Everything.real is malformed"),
        ("fa010108", "relation.test.v1.Leaf.a is malformed"),
        ("b20101ff", "relation.test.v1.Everything.i32s is malformed"),
        ("5b", "relation.test.v1.Everything is malformed"),
    ])
    func bytesThatAreNoMessageAreRefused(_ digits: String, _ message: String) {
        // The third has a message of one byte, the tag of a number that is missing.
        let bytes = digits == "fa010108" ? counted(31, [8]) : bytes(hex: digits)
        let refusal = refusal(JSONForm(Everything.schema), writing: bytes)
        #expect(refusal?.code == .malformed)
        #expect(refusal?.message == message)
    }

    @Test(
        arguments: [
            ("first", "", [2]), ("byNumber", "1", [4, 2]), ("grove.trees", "", [7, 1]),
        ] as [(String, String, [UInt64])])
    func messagesNestAsDeepAsTheLimitAndNoDeeper(
        _ name: String, _ key: String, _ numbers: [UInt64]
    ) throws {
        let form = JSONForm(Tree.schema)
        let limit = CodecLimits.messageDepth / numbers.count
        func text(_ levels: Int) -> [UInt8] {
            let (open, close) =
                switch name {
                case "first": (#"{"first":"#, "}")
                case "byNumber": (#"{"byNumber":{"1":"#, "}}")
                default: (#"{"grove":{"trees":["#, "]}}")
                }
            return Array(
                (String(repeating: open, count: levels) + "{}"
                    + String(repeating: close, count: levels)).utf8)
        }
        func bytes(_ levels: Int) -> [UInt8] {
            (0..<levels).reduce([]) { inner, _ in
                switch name {
                case "first": counted(2, inner)
                case "byNumber": counted(4, [8, 1] + counted(2, inner))
                default: counted(7, counted(1, inner))
                }
            }
        }
        // A list takes a level of JSON more than of messages.
        let deepest = name == "grove.trees" ? min(limit, (CodecLimits.jsonDepth - 1) / 3) : limit
        #expect(try form.bytes(text(deepest)) == bytes(deepest))
        #expect(refusal(form, reading: text(deepest + 1))?.code == .tooDeep)
        #expect(refusal(form, reading: text(10_000))?.code == .tooDeep)
        #expect(try form.json(bytes(deepest)) == text(deepest))
        #expect(refusal(form, writing: bytes(limit + 1))?.code == .tooDeep)
        #expect(refusal(form, writing: bytes(400))?.code == .tooDeep)
    }

    @Test func aMessageThatNestsTooDeepIsNamed() {
        let text =
            String(repeating: #"{"first":"#, count: 101) + "{}" + String(repeating: "}", count: 101)
        let refusal = refusal(JSONForm(Tree.schema), reading: Array(text.utf8))
        let path = [String](repeating: "first", count: 101).joined(separator: ".")
        #expect(refusal?.message == "\(path): messages nest deeper than 100")
    }

    @Test func aLongNameIsCutInAnError() {
        let limit = CodecLimits.shownNameBytes
        for (count, isCut) in [(limit, false), (limit + 1, true), (100_000, true)] {
            let name = String(repeating: "n", count: count)
            let shown = String(repeating: "n", count: limit) + (isCut ? "…" : "")
            for (text, message) in [
                (#"{"\#(name)":1}"#, "\(shown): relation.test.v1.Everything has no such field"),
                (
                    #"{"counts":{"\#(name)":true}}"#,
                    #"counts["\#(shown)"]: a value of type int64 was expected"#
                ),
                (
                    #"{"counts":{"\#(name)":1,"\#(name)":1}}"#,
                    #"JSON, byte \#(18 + 2 * count): the key "\#(shown)" comes twice"#
                ),
            ] {
                let refusal = refusal(JSONForm(Everything.schema), reading: Array(text.utf8))
                #expect(refusal?.message == message)
            }
        }
    }
}
