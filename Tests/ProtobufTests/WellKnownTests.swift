import Memory
import Protobuf
import ProtobufWitness
import Testing

/// Durations, timestamps and field masks are strings in JSON, with bounds, and Google is the judge.
struct WellKnownTests {
    private func json<M: CodedMessage>(_ message: M) throws(CodecError) -> String {
        try Arena.temporary { (arena) throws(CodecError) in try message.json(arena) }
    }

    private func message<M: CodedMessage>(_ type: M.Type, _ text: String) throws(CodecError) -> M {
        try Arena.temporary { (arena) throws(CodecError) in try M(json: "\"\(text)\"", arena) }
    }

    /// The messages that Google reads from the field `name` with each of `texts` in it.
    private func google(_ name: String, _ texts: [String]) throws -> [[UInt8]?] {
        try Google.answers(
            to: texts.map { text in
                "parse relation.test.v1.WellKnown "
                    + hex([UInt8](#"{"\#(name)": "\#(text)"}"#.utf8))
            })
    }

    private static let durations: [(DurationMessage, String)] = [
        (DurationMessage(), "0s"),
        (DurationMessage(seconds: 1), "1s"),
        (DurationMessage(seconds: 1, nanos: 500_000_000), "1.500s"),
        (DurationMessage(seconds: 0, nanos: -1), "-0.000000001s"),
        (DurationMessage(seconds: -3, nanos: -20_000), "-3.000020s"),
        (DurationMessage(seconds: 315_576_000_000, nanos: 999_999_999), "315576000000.999999999s"),
        (
            DurationMessage(seconds: -315_576_000_000, nanos: -999_999_999),
            "-315576000000.999999999s"
        ),
    ]

    @Test func durationsComeAndGo() throws {
        let answers = try google("duration", Self.durations.map(\.1))
        for ((duration, text), answer) in zip(Self.durations, answers) {
            #expect(try json(duration) == "\"\(text)\"")
            #expect(try message(DurationMessage.self, text) == duration)
            #expect(try answer == encode(WellKnown(duration: duration)), "\(text)")
        }
    }

    @Test func whatIsNoDurationIsRefused() throws {
        let texts = [
            "1", "s", "1.s", ".5s", "1.0000000001s", "+1s", "--1s", " 1s", "1 s", "1s ", "1e3s",
            "315576000001s", "-315576000001s", "99999999999999999999s", "1.5.5s", "１s", "1.-5s",
        ]
        for text in texts {
            let refusal = error { () throws(CodecError) in
                try message(DurationMessage.self, text)
            }
            #expect(refusal?.code == .invalidJSON, "\(text)")
        }
        #expect(
            try google("duration", ["315576000001s", "-315576000001s", "1"]) == [nil, nil, nil])
        for duration in [
            DurationMessage(seconds: 315_576_000_001), DurationMessage(seconds: -315_576_000_001),
            DurationMessage(seconds: .min), DurationMessage(seconds: 0, nanos: 1_000_000_000),
            DurationMessage(seconds: 0, nanos: -1_000_000_000),
            DurationMessage(seconds: 1, nanos: -1),
            DurationMessage(seconds: -1, nanos: 1), DurationMessage(seconds: 0, nanos: .min),
        ] {
            let refusal = error { () throws(CodecError) in try json(duration) }
            #expect(refusal?.code == .invalidJSON, "\(duration)")
            #expect(refusal?.message == "google.protobuf.Duration: the value has no JSON")
            // On the wire the value stands as it is.
            #expect(try decode(DurationMessage.self, encode(duration)) == duration)
        }
    }

    private static let timestamps: [(Int64, Int32, String)] = [
        (0, 0, "1970-01-01T00:00:00Z"),
        (-1, 0, "1969-12-31T23:59:59Z"),
        (-1, 1, "1969-12-31T23:59:59.000000001Z"),
        (1_700_000_000, 120_000_000, "2023-11-14T22:13:20.120Z"),
        (951_782_400, 0, "2000-02-29T00:00:00Z"),
        (-2_203_891_200, 0, "1900-03-01T00:00:00Z"),
        (4_107_542_400, 1_000, "2100-03-01T00:00:00.000001Z"),
        (-62_135_596_800, 0, "0001-01-01T00:00:00Z"),
        (253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
    ]

    @Test func timestampsComeAndGo() throws {
        let answers = try google("timestamp", Self.timestamps.map(\.2))
        for ((seconds, nanos, text), answer) in zip(Self.timestamps, answers) {
            let timestamp = TimestampMessage(seconds: seconds, nanos: nanos)
            #expect(try json(timestamp) == "\"\(text)\"")
            #expect(try message(TimestampMessage.self, text) == timestamp)
            #expect(try answer == encode(WellKnown(timestamp: timestamp)), "\(text)")
        }
        let noon = TimestampMessage(seconds: 1_700_049_600)
        for text in [
            "2023-11-15T12:00:00Z", "2023-11-15T12:00:00.0Z", "2023-11-15T17:30:00+05:30",
            "2023-11-14T23:59:00-12:01",
        ] {
            #expect(try message(TimestampMessage.self, text) == noon)
        }
    }

    @Test func everyDayOfTheCalendarComesBack() throws {
        var generator = SeededGenerator(seed: 1582)
        var samples: [(TimestampMessage, String)] = []
        for _ in 0..<3_000 {
            let timestamp = TimestampMessage(
                seconds: Int64.random(in: TimestampMessage.seconds, using: &generator))
            let text = String(try json(timestamp).dropFirst().dropLast())
            #expect(try message(TimestampMessage.self, text) == timestamp, "seed 1582: \(text)")
            samples.append((timestamp, text))
        }
        for ((timestamp, text), answer) in zip(samples, try google("timestamp", samples.map(\.1))) {
            #expect(try answer == encode(WellKnown(timestamp: timestamp)), "seed 1582: \(text)")
        }
    }

    @Test func whatIsNoTimestampIsRefused() throws {
        for text in [
            "", "Z", "1970-01-01T00:00:00", "1970-01-01 00:00:00Z", "1970-01-01t00:00:00Z",
            "1970-01-01T00:00:00z", "1970-1-01T00:00:00Z", "1970-01-01T00:00Z",
            "70-01-01T00:00:00Z",
            "1970-00-01T00:00:00Z", "1970-13-01T00:00:00Z", "1970-01-00T00:00:00Z",
            "1970-04-31T00:00:00Z", "1970-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
            "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z",
            "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00.0000000001Z", "1970-01-01T00:00:00.1.1Z",
            "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+01:60", "1970-01-01T00:00:00+0100",
            "1970-01-01T00:00:00ZZ", " 1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z ",
            "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
            "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
        ] {
            let refusal = error { () throws(CodecError) in
                try message(TimestampMessage.self, text)
            }
            #expect(refusal?.code == .invalidJSON, "\(text)")
        }
        for timestamp in [
            TimestampMessage(seconds: -62_135_596_801), TimestampMessage(seconds: 253_402_300_800),
            TimestampMessage(seconds: .max), TimestampMessage(seconds: .min),
            TimestampMessage(seconds: 1, nanos: -1),
            TimestampMessage(seconds: 1, nanos: 1_000_000_000),
        ] {
            let refusal = error { () throws(CodecError) in try json(timestamp) }
            #expect(refusal?.code == .invalidJSON, "\(timestamp)")
        }
    }

    @Test func fieldMasksComeAndGo() throws {
        for (paths, text) in [
            ([], ""), (["remark", "user_id.first"], "remark,userId.first"),
            (["a.b_c.d", "x1"], "a.bC.d,x1"),
        ] {
            #expect(try json(FieldMask(paths)) == "\"\(text)\"")
            #expect(try message(FieldMask.self, text).paths == paths)
            #expect(try google("mask", [text]) == [encode(WellKnown(mask: FieldMask(paths)))])
        }
    }

    /// Google's own codecs change such keys; ours do not, whatever stands around them.
    @Test(arguments: [
        "custom.favColor", "custom.fav_color", "custom.Blood", "custom.a_1", "custom._",
        "custom.A.b_c",
        "profile.custom.favColor",
    ])
    func keysOfCustomFieldsAreTakenLetterByLetter(_ path: String) throws {
        #expect(try message(FieldMask.self, path).paths == [path])
        #expect(try json(FieldMask([path])) == "\"\(path)\"")
        let mask = FieldMask(["face_url", path, "user_id"])
        #expect(try json(mask) == "\"faceUrl,\(path),userId\"")
        #expect(try message(FieldMask.self, "faceUrl,\(path),user_id") == mask)
    }

    @Test func onlyTheFieldOfThatVeryNameHasKeys() throws {
        for (text, path) in [
            ("customField.aB", "custom_field.a_b"), ("myCustom.aB", "my_custom.a_b"),
            ("custom", "custom"), ("a.customs.bC", "a.customs.b_c"),
        ] {
            #expect(try message(FieldMask.self, text).paths == [path])
            #expect(try json(FieldMask([path])) == "\"\(text)\"")
        }
    }

    @Test func namesOfTheContractAreReadInBothForms() throws {
        for (text, paths) in [
            ("allow_type", ["allow_type"]), ("allowType", ["allow_type"]),
            ("face_url,selfSignature", ["face_url", "self_signature"]),
            (
                "limits.friends_of_user,limits.friendsOfUser",
                Array(
                    repeating: "limits.friends_of_user", count: 2)
            ),
            // A name in neither form stays as it is, so that the refusal shows it.
            ("allow_Type", ["allow_Type"]), ("Nick", ["Nick"]), ("_", ["_"]), ("a..b", ["a..b"]),
            (" nick", [" nick"]), ("é", ["é"]),
        ] {
            #expect(try message(FieldMask.self, text).paths == paths, "\(text)")
        }
    }

    @Test(arguments: [
        ["userID"], ["user__id"], ["user_"], ["a_1"], ["a,b"], [""], ["a", ""], ["a_B"], ["_a"],
        ["Nick"], ["custom.a,b"],
    ])
    func aMaskThatWouldNotComeBackIsNotWritten(_ paths: [String]) throws {
        let refusal = error { () throws(CodecError) in try json(FieldMask(paths)) }
        let path = try #require(paths.last)
        #expect(refusal?.code == .invalidJSON)
        #expect(
            refusal?.message == "google.protobuf.FieldMask: the path \"\(path)\" has no JSON")
    }

    @Test(arguments: [(",", 1), ("a,", 2), (",a", 1), ("a,,b", 2), ("custom.a,", 2)])
    func anEmptyPathIsRefusedByItsIndex(_ text: String, _ place: Int) {
        let refusal = error { () throws(CodecError) in try message(FieldMask.self, text) }
        #expect(refusal?.code == .invalidJSON)
        #expect(refusal?.message.hasSuffix("path \(place) of the mask is empty") == true)
    }

    @Test func aTextOfVeryManyPathsIsRefusedWhenItHasTooMany() throws {
        let most = Array(repeating: "a", count: CodecLimits.maskPaths)
        #expect(try message(FieldMask.self, most.joined(separator: ",")).paths == most)
        for count in [CodecLimits.maskPaths + 1, 700_000] {
            // The empty path at the end is never come to.
            let text = String(repeating: "a,", count: count)
            let refusal = error { () throws(CodecError) in try message(FieldMask.self, text) }
            #expect(refusal?.code == .invalidJSON)
            #expect(refusal?.message.hasSuffix("the mask names more than 1000 paths") == true)
        }
    }
}
