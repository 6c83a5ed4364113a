import GRPC
import GRPCWire
import PeerSupport
import Protobuf
import RPC
import RelationAdmission
import RelationCore
import RelationModel
import Testing

@testable import RelationCalls
@testable import Traces

/// The words of the spans of a call.
@Suite(.endsWhenHung) struct CallTraceTests {
    /// The spans of a call with these notes.
    private func spans(
        namingUsers: Bool = false, _ change: (CallNotes) -> Void = { _ in }
    ) async -> [Span] {
        let collector = FakeCollector()
        let harness = SpanHarness(collector)
        harness.end(namingUsers: namingUsers, change)
        await harness.thread.step()
        await harness.thread.step()
        return collector.spans
    }

    private func attribute(_ key: String, _ span: Span) -> AnyValue.Value? {
        span.attributes.first { $0.key == key }?.value?.value
    }

    @Test func aCallHasASpanInTheTraceOfItsCaller() async throws {
        let span = try #require(await spans().first)
        #expect(span.traceID == [0, 0, 0, 0, 0, 0, 0, 0xA, 0, 0, 0, 0, 0, 0, 0, 0xB])
        #expect(span.parentSpanID == [0, 0, 0, 0, 0, 0, 0, 0xC])
        #expect(span.spanID.count == 8 && span.spanID != span.parentSpanID)
        #expect(span.name == "relation.v1.FriendService/ListFriends" && span.kind == .server)
        #expect(span.end.value - span.start.value == 5_000)
        #expect(span.flags.value == 0x301 && span.status == nil)
        #expect(attribute("rpc.system", span) == .text("grpc"))
        #expect(attribute("rpc.service", span) == .text("relation.v1.FriendService"))
        #expect(attribute("rpc.method", span) == .text("ListFriends"))
        #expect(attribute("rpc.grpc.status_code", span) == .number(0))
        #expect(attribute("network.peer.address", span) == .text("127.0.0.1"))
        #expect(attribute("network.peer.port", span) == .number(5_000))
        #expect(attribute("error.type", span) == nil)
    }

    @Test func aTraceThatBeginsHereHasNoParent() async throws {
        let root = TraceParent(high: 1, low: 2, spanID: 0, flags: 3)
        let span = try #require(await spans { $0.trace(as: root) }.first)
        #expect(span.parentSpanID.isEmpty && span.flags.value == 0x103)
    }

    @Test func eachPartOfTheWayIsAChild() async {
        let found = await spans { notes in
            notes.add(.admission, from: 1_000, to: 2_000)
            notes.add(.queue, from: 2_000, to: 4_000)
            notes.add(.rules, from: 4_000, to: 3_000)
        }
        #expect(found.map(\.name).dropFirst() == ["admission", "queue", "rules"])
        #expect(found.dropFirst().allSatisfy { $0.parentSpanID == found[0].spanID })
        #expect(found.dropFirst().allSatisfy { $0.kind == .internal })
        #expect(Set(found.map(\.spanID)).count == 4 && Set(found.map(\.traceID)).count == 1)
        #expect(found[2].start.value - found[1].start.value == 1_000)
        // Two clocks that were read on two processors.
        #expect(found.dropFirst().map { $0.end.value - $0.start.value } == [1_000, 2_000, 0])
    }

    @Test func aCallHasABoundedNumberOfParts() async {
        let found = await spans { notes in
            for time in 0..<UInt64(CallLimits.notedPhases) + 3 {
                notes.add(.work, from: time, to: time + 1)
            }
        }
        #expect(found.count == 1 + CallLimits.notedPhases)
    }

    @Test(arguments: [
        (Status.Code.internalError, true), (.unavailable, true), (.deadlineExceeded, true),
        (.unknown, true), (.unimplemented, true), (.dataLoss, true), (.notFound, false),
        (.invalidArgument, false), (.cancelled, false), (.unauthenticated, false),
        (.resourceExhausted, false),
    ])
    func onlyAnErrorOfTheServerIsAnError(code: Status.Code, isError: Bool) async throws {
        let span = try #require(await spans { $0.status = Status(code, "user ann") }.first)
        #expect((span.status?.code == .error) == isError)
        #expect(attribute("rpc.grpc.status_code", span) == .number(Int64(code.rawValue)))
        #expect(attribute("error.type", span) == .text("\(code)"))
        // A message may name a user.
        #expect(!"\(span)".contains("ann"))
    }

    @Test(arguments: [false, true])
    func aUserIsNamedOnlyIfTheOperatorWantsIt(isNamed: Bool) async throws {
        let caller = Caller(app: App(id: 7, settings: .tim), user: UserID(stored: "ann".utf8))
        let found = await spans(namingUsers: isNamed) { notes in
            notes.caller = caller
            notes.requestID = "r1"
        }
        let span = try #require(found.first)
        #expect(attribute("relation.app", span) == .number(7))
        #expect(attribute("relation.caller", span) == .text(isNamed ? "user:ann" : "user"))
        #expect(attribute("relation.request_id", span) == .text("r1"))
    }

    @Test(arguments: [
        ("[::1]:80", "::1", Int64?(80)), ("10.0.0.1:9", "10.0.0.1", 9), ("unix", nil, nil),
        ("unix:/run/x:1", nil, nil), ("", nil, nil),
    ])
    func aPeerIsAnAddressAndAPort(peer: String, address: String?, port: Int64?) async throws {
        let span = try #require(await spans { $0.peer = peer }.first)
        #expect(attribute("network.peer.address", span) == address.map { .text($0) })
        #expect(attribute("network.peer.port", span) == port.map { .number($0) })
    }
}
