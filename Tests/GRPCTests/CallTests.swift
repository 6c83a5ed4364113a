import EchoSupport
import HTTP2
import Memory
import NIOCore
import NIOEmbedded
import PeerSupport
import Protobuf
import RPC
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCWire

/// The things that handlers can do, and the ends of calls.
struct CallTests {
    @Test func manyCallsOfOneReadAreAnsweredByOneWrite() throws {
        let harness = try Harness()
        try harness.exchange()
        let before = harness.writes
        var ids: [Int32] = []
        for number in 0..<50 {
            let call = try harness.open(
                "/test.Echo/Unary", body: Harness.envelope([UInt8(number)]))
            ids.append(call.pointee.id)
        }
        try harness.feed(try harness.client.output())
        #expect(harness.writes == before + 1)
        try harness.exchange()
        harness.loop.checkInvariants()
        #expect(harness.connection.session.openStreams == 0)
        #expect(ids.count == 50)
    }

    @Test func aStatusTravelsWithMessageDetailsAndTrailers() throws {
        let harness = try Harness()
        let text = "\t\nteßt %☺."
        let answer = try harness.call("/test.Echo/Fail", [9] + Array(text.utf8))
        #expect(answer.httpStatus == "200")
        #expect(answer.code == "9")
        #expect(answer.message == "%09%0Ate%C3%9Ft %25%E2%98%BA.")
        #expect(answer.field("grpc-status-details-bin") == "CAk")
        #expect(answer.field("x-reason") == "test")
        #expect(answer.field("x-raw-bin") == "qw")
        #expect(answer.trailers.isEmpty)
    }

    @Test func metadataTravelsBothWays() throws {
        let harness = try Harness()
        let answer = try harness.call(
            "/test.Echo/Metadata",
            extra: [("x-text", "  some text "), ("x-data-bin", "q6ur, AQ==")])
        #expect(answer.head.contains(["x-text-back", "some text"]))
        #expect(answer.messages == [[0xAB, 0xAB, 0xAB]])
        #expect(answer.trailers == [["grpc-status", "0"], ["x-data-back-bin", "q6ur"]])
    }

    @Test func anAnswerMayComeLaterFromAnotherPlace() throws {
        let harness = try Harness()
        let first = try harness.open("/test.Echo/Wait", body: Harness.envelope([])).pointee.id
        let second = try harness.open("/test.Echo/Wait", body: Harness.envelope([])).pointee.id
        try harness.exchange()
        #expect(harness.answer(first).code == nil)
        let handles = harness.service.waiting.withLock { $0 }
        CallHandle.resume(handles) { number, call in
            call.respond { $0.append([UInt8(number)]) }
        }
        try harness.exchange()
        #expect(harness.answer(first).messages == [[0]])
        #expect(harness.answer(second).messages == [[1]])
    }

    @Test func aHandleOfAnEndedCallDoesNothing() throws {
        let harness = try Harness()
        let call = try harness.open("/test.Echo/Wait", body: Harness.envelope([]))
        try harness.exchange()
        harness.client.reset(call, .cancel)
        try harness.exchange()
        // The same object now serves another call.
        let next = try harness.open("/test.Echo/Wait", body: Harness.envelope([])).pointee.id
        try harness.exchange()
        let handles = harness.service.waiting.withLock { $0 }
        #expect(handles.count == 2)
        #expect(handles[0] != handles[1])
        #expect(handles[0].slot == handles[1].slot)
        #expect(!handles[0].isOpen && handles[1].isOpen)
        handles[0].resume { _ in Issue.record("the call is gone") }
        try harness.exchange()
        #expect(harness.answer(next).code == nil)
    }

    @Test func row14DeadlinesEndCallsThatRun() throws {
        let harness = try Harness()
        let short = try harness.open(
            "/test.Echo/Wait", body: Harness.envelope([]), extra: [("grpc-timeout", "50m")])
        let id = short.pointee.id
        let long = try harness.open(
            "/test.Echo/Chat", end: false, extra: [("grpc-timeout", "80m")]
        ).pointee.id
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .milliseconds(49))
        try harness.exchange()
        #expect(harness.answer(id).code == nil)
        harness.eventLoop.advanceTime(by: .milliseconds(1))
        try harness.exchange()
        #expect(harness.answer(id).code == "4")
        #expect(harness.service.notes.isEmpty)
        harness.eventLoop.advanceTime(by: .milliseconds(30))
        try harness.exchange()
        #expect(harness.answer(long).code == "4")
        #expect(harness.answer(long).closeCode == .noError)
        #expect(harness.service.notes == ["cancelled"])
    }

    @Test func row15TimeRunsFromTheHeaderBlockAndWhatIsLeftIsReported() throws {
        let harness = try Harness()
        let call = try harness.open(
            "/test.Echo/Wait", end: false, extra: [("grpc-timeout", "50m")])
        let id = call.pointee.id
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .milliseconds(49))
        try harness.send(call, Harness.envelope([]), end: true)
        // The handler runs now, with the millisecond that is left.
        let left = harness.loop.call(in: 0).deadline.map { $0.time - harness.eventLoop.now }
        #expect(left == .milliseconds(1))
        #expect(harness.answer(id).code == nil)
        harness.eventLoop.advanceTime(by: .milliseconds(1))
        try harness.exchange()
        #expect(harness.answer(id).code == "4")
        let late = try harness.open(
            "/test.Echo/Wait", end: false, extra: [("grpc-timeout", "50m")]
        ).pointee.id
        try harness.exchange()
        harness.eventLoop.advanceTime(by: .milliseconds(50))
        try harness.exchange()
        #expect(harness.answer(late).code == "4")
        #expect(harness.service.waiting.withLock { $0.count } == 1, "the second is never run")
    }

    @Test func row37TheCauseOfAnErrorStaysHere() throws {
        struct Secret: Error {
            let text = "the password is swordfish"
        }
        let harness = try Harness()
        let id = try harness.open("/test.Echo/Wait", body: Harness.envelope([])).pointee.id
        try harness.exchange()
        harness.service.waiting.withLock { $0 }[0].resume { call in
            call.fail(RPCError(.unknown, "the call failed", cause: Secret()))
        }
        try harness.exchange()
        #expect(harness.answer(id).code == "2")
        #expect(harness.answer(id).message == "the call failed")
        #expect(!String(decoding: harness.sent, as: UTF8.self).contains("swordfish"))
    }

    @Test func manyDeadlinesExpireInOrder() throws {
        var queue = DeadlineQueue<Int>()
        var random = SeededNumbers(seed: 7)
        var live: Set<Int> = []
        for slot in 0..<5_000 {
            let time = NIODeadline.uptimeNanoseconds(.random(in: 0..<1_000_000, using: &random))
            queue.add(.init(time: time, call: slot)) { live.contains($0.call) }
            // One in ten is still open when the next comes.
            if slot % 10 == 0 { live.insert(slot) }
        }
        #expect(queue.count < 2_500, "ended calls are swept")
        var last = NIODeadline.uptimeNanoseconds(0)
        var expired: Set<Int> = []
        while let entry = queue.popExpired(at: .distantFuture) {
            #expect(entry.time >= last)
            last = entry.time
            expired.insert(entry.call)
        }
        #expect(expired.isSuperset(of: live))
    }

    @Test func row40AResetCancelsTheHandlerOnce() throws {
        let harness = try Harness()
        let call = try harness.open("/test.Echo/Collect", body: Harness.envelope([1]), end: false)
        try harness.exchange()
        harness.client.reset(call, .cancel)
        try harness.exchange()
        #expect(harness.service.notes == ["received 1", "cancelled"])
        #expect(harness.connection.session.openStreams == 0)
    }

    @Test func row40ALostConnectionCancelsItsCalls() throws {
        let harness = try Harness()
        for _ in 0..<3 {
            _ = try harness.open("/test.Echo/Collect", body: Harness.envelope([1]), end: false)
        }
        try harness.exchange()
        _ = try harness.channel.finish()
        #expect(harness.service.notes.filter { $0 == "cancelled" }.count == 3)
        #expect(harness.loop.connectionCount == 0)
        harness.loop.checkInvariants()
    }

    @Test func row52APausedCallStopsTheClientAndGoesOn() throws {
        let harness = try Harness()
        let window = Int(SessionLimits.streamWindowBytes)
        let call = try harness.open(
            "/test.Echo/Collect", body: Harness.envelope(Array("p".utf8)), end: false)
        let id = call.pointee.id
        try harness.exchange()
        let large = Harness.envelope([UInt8](repeating: 1, count: window * 2))
        try harness.send(call, large, end: true)
        #expect(call.pointee.output.count > window / 2, "the window stays closed")
        #expect(harness.service.notes == ["received 1"])
        harness.loop.wake()
        harness.loop.call(in: 0).resumeRequests()
        harness.loop.flush()
        try harness.exchange()
        #expect(harness.answer(id).messages == [Array("\(window * 2 + 1)".utf8)])
        #expect(harness.service.notes == ["received 1", "received \(window * 2)", "end"])
    }

    @Test func aPauseOfAnEndedCallDoesNotReachTheNextOne() throws {
        let harness = try Harness()
        #expect(try harness.call("/test.Echo/Unary", [1]).messages == [[1]])
        harness.loop.call(in: 0).pauseRequests()
        #expect(try harness.call("/test.Echo/Chat", [2]).messages == [[2]])
        #expect(harness.loop.calls.count == 1)
    }

    @Test func aCallMayEndWhileTheClientStillSends() throws {
        let harness = try Harness()
        let call = try harness.open(
            "/test.Echo/Collect", body: Harness.envelope(Array("e".utf8)), end: false)
        let id = call.pointee.id
        try harness.exchange()
        #expect(harness.answer(id).code == "10")
        #expect(harness.answer(id).closeCode == .noError)
        #expect(harness.service.notes == ["received 1"])
    }

    @Test func aStreamWaitsForASlowReader() throws {
        let harness = try Harness()
        // 200 messages of 64 KiB; the client's window is smaller, and it reads as it goes.
        let answer = try harness.call("/test.Echo/Expand", [200, 1, 0, 0])
        #expect(answer.code == "0")
        #expect(answer.messages.count == 200)
        #expect(harness.service.notes.contains("writable"))
    }

    @Test func theQueueOfAHandlerThatDoesNotWaitIsBounded() throws {
        let harness = try Harness()
        let id = try harness.open("/test.Echo/Wait", body: Harness.envelope([])).pointee.id
        // Only the request is carried; the bytes that the server writes are not.
        try harness.feed(try harness.client.output())
        let chat = try harness.open("/test.Echo/Chat", body: Harness.envelope([1]), end: false)
        try harness.feed(try harness.client.output())
        let message = [UInt8](repeating: 1, count: 1_000_000)
        harness.channel.isWritable = false
        harness.channel.pipeline.fireChannelWritabilityChanged()
        var sent = 0
        while sent < 100,
            message.withUnsafeBytes({ bytes in
                let call = harness.loop.call(in: 1)
                guard call.isOpen else { return false }
                call.send(bytes)
                return true
            })
        { sent += 1 }
        #expect(sent == CallLimits.queuedBytes / 1_000_000 + 1)
        #expect(id != chat.pointee.id)
    }

    @Test func aHandlerThatForgetsItsAnswerIsFoundOut() throws {
        let harness = try Harness()
        #expect(try harness.call("/test.Echo/NoAnswer").code == "13")
    }

    @Test func row33DetailsTooLargeForThePeerAreLeftOut() {
        var block = HeaderBlock()
        defer { block.free() }
        let details = [UInt8](repeating: 1, count: 900)
        block.append(Status(.aborted, "a", details: details), [], limit: 600)
        #expect(block.pairs == [["grpc-status", "10"], ["grpc-message", "a"]])
        block.reset(keeping: 0)
        block.append(Status(.aborted, "a", details: details), [], limit: 6_000)
        #expect(block.count == 3)
        block.reset(keeping: 0)
        let long = [UInt8](repeating: 1, count: CallLimits.statusListBytes)
        block.append(Status(.aborted, "a", details: long), [], limit: .max)
        #expect(block.count == 2)
    }
}
