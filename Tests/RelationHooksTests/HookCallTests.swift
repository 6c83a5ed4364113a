import Memory
import Protobuf
import RPC
import RelationAPI
import RelationAdmission
import RelationModel
import Storage
import Synchronization
import Testing
import Webhooks

@testable import RelationCore
@testable import RelationHooks

/// The calls of hooks that have the form of gRPC.
struct HookCallTests {
    private static func delivered(_ request: HookRequest) throws -> DeliverRequest {
        #expect(request.method == "/relation.hook.v1.HookReceiverService/Deliver")
        return try Arena.temporary { (arena) throws(CodecError) in
            try Coder(DeliverRequest.self).message(request.body, arena)
        }
    }

    private static func requests(_ bench: HookBench) -> [HookRequest] {
        bench.state.withLock { $0.requests }
    }

    @Test func aCallHasTheEventWithItsPositionAndIsSigned() throws {
        let bench = try HookBench()
        try bench.hook { $0.form = .grpc }
        try bench.change("ann")
        try bench.run(bench.server())
        let request = try #require(Self.requests(bench).first)
        let message = try Self.delivered(request)
        #expect((message.hookID, message.appID, message.attempt) == ("aaaaaaaaaaaaaaaa", 1, 1))
        let event = try #require(message.events.first)
        #expect(message.events.count == 1)
        #expect((event.position, event.userID) == (1, "ann"))
        #expect(event.id == bench.received.first)
        guard case .change(let change) = event.content else {
            Issue.record("the event has no change")
            return
        }
        #expect((change.kind, change.feedPosition, change.userID) == (.friendChange, 1, "ann"))
        let secret = try #require(
            WebhookSecret("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="))
        let expected = StandardWebhooks.headers(
            id: event.id, seconds: bench.nowMs / 1_000, body: request.body, secrets: [secret])
        #expect(request.headers.map(\.name) == expected.map(\.name))
        #expect(request.headers.map(\.value) == expected.map(\.value))
    }

    @Test func aBatchKeepsTheOrderOfEachUserAndNamesTheAttempt() throws {
        let bench = try HookBench()
        try bench.hook {
            $0.form = .grpc
            $0.batchSize = 10
        }
        try bench.change("ann", "bob", "ann")
        let loop = bench.server()
        bench.answers { _ in HookResult(ReceiverAnswer(.unavailable)) }
        try bench.run(loop)
        let failed = try Self.requests(bench).map { try Self.delivered($0) }
        #expect(failed.map(\.attempt) == [1])
        bench.forget()
        bench.later(60_000)
        bench.answers { _ in HookResult(ReceiverAnswer(.ok)) }
        try bench.run(loop)
        let taken = try Self.requests(bench).map { try Self.delivered($0) }
        #expect(taken.first?.attempt == 2)
        let positions = taken.flatMap { $0.events.map(\.position) }
        #expect(positions.sorted() == [1, 2, 3])
        #expect(positions.filter { $0 != 2 } == [1, 3])
    }

    @Test func aTrimmedLogIsReportedByAMarkerOfItsOwn() throws {
        let bench = try HookBench()
        try bench.hook { $0.form = .grpc }
        try bench.change("ann", "bob")
        try bench.trim(to: 2)
        try bench.run(bench.server())
        let request = try #require(Self.requests(bench).first)
        let event = try #require(try Self.delivered(request).events.first)
        guard case .trimmed(let gone) = event.content else {
            Issue.record("the event is not a marker")
            return
        }
        #expect((gone.afterPosition, gone.toPosition) == (0, 2))
        #expect((event.position, event.userID) == (2, ""))
    }

    @Test func statusesDecideLikeThoseOfHTTP() throws {
        let bench = try HookBench()
        let id = try bench.hook { $0.form = .grpc }
        let loop = bench.server()
        try bench.change("ann")
        var gone = ReceiverAnswer(.failedPrecondition)
        gone.isGone = true
        bench.answers { [gone] _ in HookResult(gone) }
        try bench.run(loop)
        #expect(try bench.progress(id)?.stoppedMs == bench.nowMs)
        #expect(bench.received.count == 1)
        let app = try #require(bench.apps[HookBench.app])
        let progress = try #require(try bench.progress(id))
        let failures = try bench.store.read(reaching: .disk) {
            (transaction) throws(StorageError) in
            try Hooks.failures(of: id, progress, app, in: transaction)
        }
        #expect(failures.map(\.record.status) == [9])
    }
}
