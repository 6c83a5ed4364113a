import PeerSupport
import Testing

@testable import GRPC

/// Errors whose answers are encoded once.
struct PreparedErrorTests {
    private static let path = "/test.Echo/FailPrepared"

    @Test func aPreparedErrorIsAnsweredLikeAnyOther() throws {
        let harness = try Harness()
        let answer = try harness.call(Self.path, [])
        #expect(answer.code == "8")
        #expect(answer.field("grpc-status-details-bin")?.count == 120)
        for _ in 0..<3 {
            let prepared = try harness.call(Self.path, [1])
            #expect(prepared.head == answer.head)
            #expect(prepared.trailers.isEmpty)
        }
    }

    @Test func itsAnswerIsAByteAFieldForWhoHasSeenIt() throws {
        let harness = try Harness()
        _ = try harness.call(Self.path, [1])
        let before = harness.sent.count
        let answer = try harness.call(Self.path, [1])
        #expect(harness.sent.count - before <= 9 + 2 * answer.head.count)
        let start = harness.sent.count
        _ = try harness.call(Self.path, [])
        #expect(harness.sent.count - start > 100, "what is made at every call has no place there")
    }

    @Test func aPeerThatTakesSmallHeaderBlocksIsAnsweredWithoutDetails() throws {
        let harness = try Harness()
        try harness.exchange()
        // The client's settings allow header lists of 300 bytes; the acknowledgement does not reach
        // the client.
        try harness.feed([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 6, 0, 0, 1, 44])
        let answer = try harness.call(Self.path, [1])
        #expect(answer.code == "8")
        #expect(answer.field("x-reason") == "test")
        #expect(answer.field("grpc-status-details-bin") == nil)
    }
}
