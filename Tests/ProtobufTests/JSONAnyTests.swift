import Memory
import Protobuf
import ProtobufWitness
import Testing

/// A message of any type has the fields of the message inside in JSON.
struct JSONAnyTests {
    private let form = JSONForm(
        StatusMessage.schema,
        anys: [
            ErrorInfo.schema, BadRequest.schema, RetryInfo.schema, DurationMessage.schema,
            TimestampMessage.schema, FieldMask.schema, AnyMessage.schema, StatusMessage.schema,
        ])

    private func status(_ pack: (Arena) throws(CodecError) -> [AnyMessage]) throws -> [UInt8] {
        try Arena.temporary { (arena) throws(CodecError) in
            try encode(StatusMessage(code: 3, message: "no", details: try pack(arena)))
        }
    }

    private func check(
        _ details: String, _ pack: (Arena) throws(CodecError) -> [AnyMessage],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let text = #"{"code":3,"message":"no","details":[\#(details)]}"#
        let bytes = try status(pack)
        #expect(
            String(decoding: try form.json(bytes), as: UTF8.self) == text, sourceLocation: location)
        #expect(try form.bytes(Array(text.utf8)) == bytes, sourceLocation: location)
    }

    @Test func anErrorsDetailsComeAndGo() throws {
        try check(
            #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d","#
                + #""metadata":{"a":"1","b":"2"}},"#
                + #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":"#
                + #"[{"field":"a.b","description":"x"}]},"#
                + #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}"#
        ) { (arena) throws(CodecError) in
            [
                try AnyMessage(
                    packing: ErrorInfo(
                        reason: "R", domain: "d", metadata: ["b": "2", "a": "1"]), arena),
                try AnyMessage(
                    packing: BadRequest([.init(field: "a.b", description: "x")]), arena),
                try AnyMessage(
                    packing: RetryInfo(
                        retryDelay: DurationMessage(seconds: 1, nanos: 500_000_000)), arena),
            ]
        }
    }

    @Test func aMessageWithItsOwnFormIsTheMemberValue() throws {
        try check(
            #"{"@type":"type.googleapis.com/google.protobuf.Duration","value":"3s"},"#
                + #"{"@type":"type.googleapis.com/google.protobuf.Duration","value":"0s"},"#
                + #"{"@type":"type.googleapis.com/google.protobuf.FieldMask","value":"a,bC"},"#
                + #"{"@type":"type.googleapis.com/google.protobuf.Any","value":"#
                + #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R"}}"#
        ) { (arena) throws(CodecError) in
            [
                try AnyMessage(packing: DurationMessage(seconds: 3), arena),
                try AnyMessage(packing: DurationMessage(), arena),
                try AnyMessage(packing: FieldMask(["a", "b_c"]), arena),
                try AnyMessage(
                    packing: try AnyMessage(
                        packing: ErrorInfo(reason: "R", domain: ""), arena), arena),
            ]
        }
    }

    @Test func anEmptyMessageHasOnlyItsType() throws {
        try check(#"{},{"@type":"type.googleapis.com/google.rpc.Status"}"#) {
            (arena) throws(CodecError) in
            [AnyMessage(), try AnyMessage(packing: StatusMessage(), arena)]
        }
    }

    @Test func theTypeMayStandAnywhere() throws {
        let url = "type.googleapis.com/google.rpc.ErrorInfo"
        let one = try form.bytes(
            Array(#"{"details":[{"@type":"\#(url)","reason":"R","domain":"d"}]}"#.utf8))
        for text in [
            #"{"details":[{"reason":"R","domain":"d","@type":"\#(url)"}]}"#,
            #"{"details":[ { "domain":"d" , "@type" : "\#(url)", "reason":"R" } ]}"#,
            #"{"details":[{"domain":"d","\u0040type":"\#(url)","reason":"R"}]}"#,
        ] {
            #expect(try form.bytes(Array(text.utf8)) == one, "\(text)")
        }
    }

    @Test(arguments: [
        (
            #"{"@type":"type.googleapis.com/a.B"}"#,
            #"details[0].@type: messages of the type "type.googleapis.com/a.B" are not known here"#
        ),
        (
            #"{"@type":"google.rpc.ErrorInfo"}"#,
            #"details[0].@type: messages of the type "google.rpc.ErrorInfo" are not known here"#
        ),
        (#"{"@type":1}"#, "details[0].@type: the name of a type was expected"),
        (#"{"reason":"R"}"#, "details[0].@type: the name of a type was expected"),
        ("1", "details[0]: an object was expected"),
        (
            #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","x":1}"#,
            "details[0].x: google.rpc.ErrorInfo has no such field"
        ),
        (
            #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":1}"#,
            "details[0].reason: a value of type string was expected"
        ),
        (
            #"{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1"}"#,
            "details[0].value: a string in the form of google.protobuf.Duration was expected"
        ),
        (
            #"{"@type":"type.googleapis.com/google.protobuf.Duration"}"#,
            "details[0].value: a value was expected"
        ),
        (
            #"{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s","x":1}"#,
            "details[0].x: google.protobuf.Duration has no such field"
        ),
        (
            #"{"@type":"type.googleapis.com/google.rpc.Status","@type":"x"}"#,
            #"JSON, byte 68: the key "@type" comes twice"#
        ),
        (
            #"{"@type":"type.googleapis.com/google.rpc.Status""#,
            "JSON, byte 60: the object should go on or end here"
        ),
        (#"{"x":1,"#, "JSON, byte 19: a key should be here"),
    ])
    func anyOtherJSONIsRefused(_ detail: String, _ message: String) {
        let end = message.hasPrefix("JSON") ? "" : "]}"
        let refusal = error { () throws(CodecError) in
            try form.bytes(Array(#"{"details":[\#(detail)\#(end)"#.utf8))
        }
        #expect(refusal?.code == .invalidJSON)
        #expect(refusal?.message == message)
    }

    @Test func anUnknownTypeIsNotWritten() throws {
        let bytes = try status { (arena) throws(CodecError) in
            [try AnyMessage(packing: Leaf(), arena)]
        }
        let refusal = error { () throws(CodecError) in try form.json(bytes) }
        #expect(refusal?.code == .invalidJSON)
        #expect(
            refusal?.message == "google.protobuf.Any: messages of the type "
                + #""type.googleapis.com/relation.test.v1.Leaf" are not known here"#)
        let broken = counted(3, counted(1, wire("/google.rpc.Status")) + counted(2, [8]))
        #expect(
            error { () throws(CodecError) in try form.json(broken) }?.message
                == "google.rpc.Status.code is malformed")
    }

    @Test func messagesOfAnyTypeNestAsDeepAsTheLimitAndNoDeeper() throws {
        func text(_ levels: Int) -> [UInt8] {
            let type = #"{"@type":"/google.rpc.Status","details":["#
            return Array(
                (#"{"details":["# + String(repeating: type, count: levels)
                    + String(repeating: "]}", count: levels) + "]}").utf8)
        }
        let limit = CodecLimits.messageDepth / 2
        let within = try form.bytes(text(limit))
        #expect(try form.bytes(form.json(within)) == within)
        for levels in [limit + 1, 10_000] {
            let refusal = error { () throws(CodecError) in try form.bytes(text(levels)) }
            #expect(refusal?.code == .tooDeep)
        }
        var bytes: [UInt8] = []
        for level in 1...CodecLimits.messageDepth {
            bytes = counted(3, counted(1, wire("/google.rpc.Status")) + counted(2, bytes))
            // An Any takes a level, and the message inside another.
            let refusal = error { () throws(CodecError) in try form.json(bytes) }
            #expect((refusal?.code == .tooDeep) == (2 * level > CodecLimits.messageDepth))
        }
    }
}
