import Memory
import Testing

@testable import Protobuf

/// A schema equals its .proto file, and a wrong schema is never made.
struct SchemaTests {
    @Test func schemasAreWhatProtocReads() throws {
        let schemas = [
            Everything.schema, Leaf.schema, Branch.schema, Empty.schema, Keeper.schema,
            NewKeeper.schema, Numbers.schema, Maps.schema, Woven.schema, Tree.schema,
            Grove.schema, WellKnown.schema, DurationMessage.schema, TimestampMessage.schema,
            FieldMask.schema,
        ]
        let answers = try Google.answers(to: schemas.map { "schema \($0.fullName)" })
        for (schema, answer) in zip(schemas, answers) {
            let text = String(decoding: try #require(answer), as: UTF8.self)
            #expect(schema.description == text)
        }
    }

    @Test func everythingBelowAMessageIsReached() {
        let (messages, enums) = Everything.schema.reachable()
        #expect(
            messages.map(\.fullName) == [
                "relation.test.v1.Everything", "relation.test.v1.Leaf", "relation.test.v1.Empty",
                "relation.test.v1.Branch",
            ])
        #expect(enums.map(\.fullName) == ["relation.test.v1.Colour"])
        #expect(
            Tree.schema.reachable().messages.map(\.fullName) == [
                "relation.test.v1.Tree", "relation.test.v1.Grove", "relation.test.v1.Leaf",
            ])
    }

    @Test func anEnumNamesItsNumbersAndNoOthers() {
        let numbers: [Int32] = [0, 2, 1, 5, -3, 4711, .max, .min]
        let schema = EnumSchema("x.E", numbers.map { ($0, "E_\($0)") })
        for number in numbers { #expect(schema.names(number), "\(number)") }
        for number: Int32 in [3, 4, 6, -1, -2, -4, 4710, .max - 1, .min + 1] {
            #expect(!schema.names(number), "\(number)")
        }
        #expect(!EnumSchema("x.E", [(0, "E_NONE")]).names(1))
    }

    @Test func presenceAndLabelsAreReported() throws {
        func field(_ name: String) throws -> FieldSchema {
            try #require(Everything.schema.fields.first { $0.name == name })
        }
        #expect(try field("flag").presence == .implicit)
        #expect(try field("opt_flag").presence == .explicit)
        #expect(try field("leaf").presence == .explicit)
        #expect(try field("page").label == .repeated)
        #expect(try field("labels").label == .map)
        #expect(try field("branch").oneof == "choice")
        #expect(try field("colour_by_name").jsonName == "colourByName")
        #expect(try field("i32s").isPacked)
        #expect(try !field("names").isPacked)
        #expect(Numbers.schema.fields.filter { $0.number >= 31 }.allSatisfy { !$0.isPacked })
        #expect(Woven.schema.fields.map(\.number) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 300, 301])
        #expect(Keeper.schema.keepsUnknownFields)
        #expect(!Leaf.schema.keepsUnknownFields)
    }

    /// Expects that the process died for the given reason, and not for another.
    ///
    /// An optimised program (`make test BUILD=once`) traps without saying why.
    private func expect(
        _ reason: String, _ result: ExitTest.Result?,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #if DEBUG
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains(reason), sourceLocation: location)
        #endif
    }

    @Test func messagesThatHoldEachOtherAreTiedByManyThreadsAtOnce() async throws {
        // Each schema needs the others, and none of them has been used before.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<32 {
                group.addTask {
                    let bytes = counted(1, counted(1, counted(1, [])))
                    let echoed =
                        switch index % 4 {
                        case 0: try echo(Egg.self, bytes)
                        case 1: try echo(Chicken.self, bytes)
                        case 2: try echo(Endless.self, bytes)
                        default: try echo(Farm.self, bytes)
                        }
                    #expect(echoed == bytes)
                }
            }
            try await group.waitForAll()
        }
        #expect(Egg.schema.fields.map(\.description) == ["repeated test.Chicken chicken = 1"])
    }

    @Test func numbersThatDoNotAscendTrap() async {
        expect(
            "field numbers ascend from 1",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Descending.schema.fullName
            })
        expect(
            "field numbers ascend from 1",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Schema("x.Late", OneofBehind<Leaf>.self)
            })
        expect(
            "the number comes twice",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Schema("x.Twice", OneofOver<Leaf>.self)
            })
    }

    @Test func aMessageHasAtMostSixtyFourMessageFields() async {
        #expect(Crowd64.schema.fields.count == CodecLimits.messageFields)
        expect(
            "too many message fields",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Crowd65.schema.fullName
            })
    }

    @Test func anEnumWithoutZeroTraps() async {
        expect(
            "the first value of a proto3 enum is 0",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = EnumSchema("x.E", [(1, "E_ONE")])
            })
        expect(
            "a number comes twice",
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = EnumSchema("x.E", [(0, "E_NONE"), (1, "E_ONE"), (1, "E_UNO")])
            })
    }

    @Test func wellKnownMessagesHaveTheirNumbers() throws {
        var status = StatusMessage(code: 3, message: "no", details: [])
        try Arena.temporary { (arena) throws(CodecError) in
            status.details = [
                try AnyMessage(
                    packing: BadRequest([.init(field: "a.b", description: "wrong")]), arena),
                try AnyMessage(
                    packing: RetryInfo(retryDelay: DurationMessage(seconds: 1, nanos: 5)), arena),
            ]
        }
        #expect(try decode(StatusMessage.self, encode(status)) == status)
        #expect(
            status.details[0].typeURL == "type.googleapis.com/google.rpc.BadRequest")
        #expect(
            status.details[0].value
                == counted(1, counted(1, wire("a.b")) + counted(2, wire("wrong"))))
        #expect(status.details[1].value == counted(1, [8, 1, 16, 5]))
        let info = ErrorInfo(reason: "R", domain: "d", metadata: ["k": "v"])
        #expect(
            try encode(info)
                == counted(1, wire("R")) + counted(2, wire("d"))
                + counted(3, counted(1, wire("k")) + counted(2, wire("v"))))
    }

    @Test func aMethodKnowsItsPathAndItsTypes() throws {
        let method = Method<Leaf, Branch>("relation.test.v1.Tree", "Grow", .write)
        #expect(method.path == "/relation.test.v1.Tree/Grow")
        let any = AnyMethod(method)
        #expect(any.path == method.path)
        #expect(any.request.fullName == "relation.test.v1.Leaf")
        #expect(try any.encodeRequest(#"{"a": 5}"#) == [8, 5])
        #expect(try any.decodeResponse(counted(1, [8, 5])) == #"{"leaf":{"a":5}}"#)
    }

    /// A copy of a larger value would look for its type, and for the conformances of its messages,
    /// by their names: a program with all calls does that at its start.
    @Test func aMethodIsTwoReferences() {
        let reference = MemoryLayout<AnyObject>.size
        #expect(MemoryLayout<Method<Leaf, Branch>>.size == 2 * reference)
        let method = Method<Leaf, Branch>("relation.test.v1.Tree", "Grow", .write)
        let other = Method<Tree, Empty>(like: method)
        #expect(other.path == method.path && other.access == method.access)
    }
}
