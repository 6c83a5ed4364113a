import EchoSupport
import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import Synchronization
import Testing

@testable import GRPC

/// A stream's handler is notified once that its call has ended, whatever ended it.
///
/// So a handler can give back what it holds without knowing all the ways in which a call can fail.
struct EndTests {
    /// The words for a handler's acts that end its call.
    static let acts = [
        "finish", "fail", "long", "long, as it is encoded", "long, of a block", "no encoding",
        "bad trailers", "too much",
    ]

    /// - Returns: The number of the call's stream, which may have ended by then.
    private func opened(_ harness: Harness, _ word: String) throws -> Int32 {
        let body = Harness.envelope(Array(word.utf8))
        let id = try harness.open("/test.Echo/Keep", body: body, end: false).pointee.id
        try harness.exchange()
        return id
    }

    @Test(arguments: acts)
    func aHandlerThatEndsItsCallIsNotifiedAfterwards(word: String) throws {
        let harness = try Harness()
        let id = try opened(harness, word)
        #expect(harness.service.notes == ["begun", "acted", "ended"])
        #expect(harness.answer(id).code != nil)
        #expect(harness.loop.calls.allSatisfy { !$0.isInUse })
    }

    @Test(arguments: acts, ["later", "later as work "])
    func soIsOneThatEndsItInWorkThatCameBack(word: String, when: String) throws {
        let harness = try Harness()
        let id = try opened(harness, "\(when): \(word)")
        #expect(harness.service.notes == ["begun"])
        for piece in harness.service.later.withLock({ $0 }) { piece() }
        try harness.exchange()
        #expect(harness.service.notes == ["begun", "acted", "ended"])
        #expect(harness.answer(id).code != nil)
        #expect(harness.loop.calls.allSatisfy { !$0.isInUse })
    }

    @Test func aSecondAnswerWhereThereIsOneEndsTheCallToo() throws {
        let harness = try Harness()
        let answer = try harness.call("/test.Echo/KeepOne", Array("twice".utf8))
        #expect(answer.code == "13")
        #expect(harness.service.notes == ["begun", "acted", "ended"])
    }

    @Test(arguments: [
        "reset", "cut", "deadline", "no envelope", "unknown encoding", "shutdown", "starved",
    ])
    func whatComesFromWithoutIsSentTheSameWay(end: String) throws {
        let harness = try Harness()
        let extra = end == "deadline" ? [("grpc-timeout", "50m")] : []
        let body = Harness.envelope(Array("wait".utf8))
        let stream = try harness.open("/test.Echo/Keep", body: body, end: false, extra: extra)
        try harness.exchange()
        #expect(harness.service.notes == ["begun", "acted"])
        switch end {
        case "reset": harness.client.reset(stream, .cancel)
        case "cut": try harness.channel.close().wait()
        case "deadline": harness.eventLoop.advanceTime(by: .milliseconds(60))
        case "no envelope": try harness.send(stream, [7, 0, 0, 0, 1, 1])
        case "unknown encoding": try harness.send(stream, [1, 0, 0, 0, 1, 1])
        case "shutdown": _ = harness.loop.shutDown()
        default: _ = harness.loop.call(in: 0).failForMemory()
        }
        if end != "cut" { try harness.exchange() }
        #expect(harness.service.notes == ["begun", "acted", "ended"])
        #expect(harness.loop.calls.allSatisfy { !$0.isInUse })
    }
}
