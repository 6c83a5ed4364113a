import EchoSupport
import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import RPC
import Testing

@testable import GRPC
@testable import GRPCWire

/// Calls before which an interceptor stands, on a loop whose time the test moves.
struct InterceptedDispatcherTests {
    /// The verdict that the metadata `x-verdict` of a call names.
    @Sendable private static func verdict(_ call: ServerCall) -> CallVerdict? {
        switch call.metadata("x-verdict") {
        case "fail": CallVerdict(.fail(RPCError(.aborted, "by the interceptor")))
        case "late": CallVerdict(.pass, afterMilliseconds: 500)
        case "fail late":
            CallVerdict(.fail(RPCError(.aborted, "by the interceptor")), afterMilliseconds: 500)
        case "pass": CallVerdict(.pass)
        case "cut": CallVerdict(.cut)
        case "cut late": CallVerdict(.cut, afterMilliseconds: 500)
        default: nil
        }
    }

    private func harness() throws -> Harness {
        try Harness(interceptor: Self.verdict)
    }

    private func interceptor(_ name: String) -> [(String, String)] { [("x-verdict", name)] }

    @Test(arguments: ["", "pass"])
    func aCallThatPassesIsAnsweredAtOnce(_ name: String) throws {
        let harness = try harness()
        #expect(
            try harness.call("/test.Echo/Unary", [5], extra: interceptor(name)).messages == [[5]])
    }

    @Test(arguments: ["/test.Echo/Unary", "/test.Echo/Chat"])
    func aCallThatFailsNeverReachesItsMethod(_ path: String) throws {
        let harness = try harness()
        let answer = try harness.call(path, [5], extra: interceptor("fail"))
        #expect(answer.code == "10" && answer.message == "by the interceptor")
        #expect(answer.messages.isEmpty)
    }

    @Test(arguments: [("late", "0", [[5 as UInt8]]), ("fail late", "10", [])])
    func aCallIsHeldUp(_ name: String, _ code: String, _ messages: [[UInt8]]) throws {
        let harness = try harness()
        for path in ["/test.Echo/Unary", "/test.Echo/Chat"] {
            let stream = try harness.open(path, end: false, extra: interceptor(name))
            let id = stream.pointee.id
            try harness.send(stream, Harness.envelope([5]), end: true)
            harness.eventLoop.advanceTime(by: .milliseconds(499))
            try harness.exchange()
            #expect(harness.answer(id).code == nil)
            harness.eventLoop.advanceTime(by: .milliseconds(1))
            try harness.exchange()
            #expect(harness.answer(id).code == code)
            #expect(harness.answer(id).messages == messages)
        }
    }

    @Test func aHeldStreamTakesWhatComesAfterwards() throws {
        let harness = try harness()
        let stream = try harness.open("/test.Echo/Chat", end: false, extra: interceptor("late"))
        let id = stream.pointee.id
        try harness.send(stream, Harness.envelope([1]), end: false)
        harness.eventLoop.advanceTime(by: .milliseconds(500))
        try harness.exchange()
        try harness.send(stream, Harness.envelope([2]), end: true)
        #expect(harness.answer(id).messages == [[1], [2]])
        #expect(harness.answer(id).code == "0")
    }

    @Test func aHeldStreamKeepsSoManyMessages() throws {
        let harness = try harness()
        let stream = try harness.open("/test.Echo/Chat", end: false, extra: interceptor("late"))
        let id = stream.pointee.id
        for _ in 0..<CallLimits.heldMessages {
            try harness.send(stream, Harness.envelope([]), end: false)
        }
        #expect(harness.answer(id).code == nil)
        try harness.send(stream, Harness.envelope([]), end: false)
        #expect(harness.answer(id).code == "8")
    }

    @Test(arguments: ["cut", "cut late"])
    func aConnectionIsCut(_ name: String) throws {
        let harness = try harness()
        let stream = try harness.open("/test.Echo/Unary", end: false, extra: interceptor(name))
        try harness.send(stream, Harness.envelope([5]), end: true)
        harness.eventLoop.advanceTime(by: .milliseconds(500))
        harness.eventLoop.run()
        #expect(!harness.channel.isActive)
        #expect(harness.loop.calls(on: harness.connection).isEmpty)
    }
}
