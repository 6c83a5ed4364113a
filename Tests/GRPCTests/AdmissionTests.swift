import EchoSupport
import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import Testing

@testable import GRPC
@testable import GRPCWire

/// Calls that are admitted by their header blocks.
struct AdmissionTests {
    private static let key = [("x-key", "1")]

    @Test func whoShowsNothingIsRefusedBeforeItsMessageHasCome() throws {
        let harness = try Harness()
        let stream = try harness.open("/test.Echo/Guarded", end: false)
        let id = stream.pointee.id
        try harness.exchange()
        #expect(harness.answer(id).code == "16")
        #expect(harness.answer(id).message == "no key")
        #expect(harness.service.notes == ["asked"])
    }

    @Test func whoShowsNothingIsRefusedBeforeItsMessageIsExpanded() throws {
        let harness = try Harness()
        // The body is not gzip: a server that expands it finds another error.
        let answer = try harness.call(
            "/test.Echo/Guarded", body: [1] + Frame.bigEndian(3) + [1, 2, 3],
            extra: [("grpc-encoding", "gzip")])
        #expect(answer.code == "16")
        #expect(harness.loop.expansion.used.callers == 0)
    }

    @Test func aCallWhoseMessageIsHereIsAskedOnce() throws {
        let harness = try Harness()
        #expect(try harness.call("/test.Echo/Guarded", [5], extra: Self.key).messages == [[5]])
        #expect(harness.service.notes == ["asked"])
    }

    @Test func aCallThatWasLetInByItsHeaderBlockIsAskedAgainWhenItsMessageComes() throws {
        let harness = try Harness()
        let stream = try harness.open("/test.Echo/Guarded", end: false, extra: Self.key)
        let id = stream.pointee.id
        try harness.exchange()
        #expect(harness.service.notes == ["asked"])
        try harness.send(stream, Harness.envelope([5]), end: true)
        #expect(harness.answer(id).messages == [[5]])
        #expect(harness.service.notes == ["asked", "asked again"])
    }

    @Test func aCallWithoutAMessageIsNoReasonToAsk() throws {
        let harness = try Harness()
        #expect(try harness.call("/test.Echo/Guarded", body: []).code == "12")
        #expect(harness.service.notes.isEmpty)
    }

    @Test func aQuestionForHealthIsNoLongerThanAName() throws {
        let harness = try Harness()
        for (count, code) in [
            (CallLimits.unauthenticatedMessageBytes, "5"),
            (CallLimits.unauthenticatedMessageBytes + 1, "8"),
        ] {
            // A name that no service has, and a field of bytes that the request does not define.
            let field = [UInt8](repeating: 0, count: count - 3 - 3)
            let request = [
                10, 1, 0x6E, 0x7A, UInt8(field.count & 127 | 128), UInt8(field.count >> 7),
            ]
            let answer = try harness.call("/grpc.health.v1.Health/Check", request + field)
            #expect(answer.code == code)
        }
    }
}
