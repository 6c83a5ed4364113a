import GRPC
import Logging
import Memory
import PeerSupport
import Protobuf
import RPC
import Testing

@testable import Traces

/// How spans go to a collector, and what becomes of those that do not.
@Suite(.endsWhenHung) struct SpanExporterTests {
    private static func answer(rejecting count: Int64) -> [UInt8] {
        var answer = ExportResponse()
        var partial = PartialSuccess()
        (partial.rejectedSpans, partial.errorMessage) = (count, "too old")
        answer.partialSuccess = partial
        let bytes = try? Arena.temporary { (arena) throws(CodecError) in
            try Coder(ExportResponse.self).bytes(answer, arena)
        }
        return bytes ?? []
    }

    private static func failure(_ code: Status.Code) -> Result<[UInt8], RPCError> {
        .failure(RPCError(code, "no"))
    }

    private func counts(_ exported: UInt64, _ dropped: UInt64, _ failed: UInt64) -> SpanCounts {
        var counts = SpanCounts()
        (counts.exported, counts.dropped, counts.failed) = (exported, dropped, failed)
        return counts
    }

    @Test func callsThatEndWithinAMomentShareAMessage() async {
        let collector = FakeCollector()
        let harness = SpanHarness(collector)
        harness.end(3)
        #expect(harness.thread.waiting == 1 && collector.messages.isEmpty)
        #expect(await harness.thread.step() == TraceLimits.batchMilliseconds)
        await harness.thread.step()
        #expect(collector.messages.map(\.count) == [3])
        #expect(harness.exporter.reading() == counts(3, 0, 0))
        #expect(harness.thread.waiting == 0 && harness.lines.all.isEmpty)
        let attributes = collector.resources[0].attributes
        #expect(
            attributes.map(\.key) == [
                "service.name", "service.version", "service.instance.id", "telemetry.sdk.language",
            ])
        #expect(attributes[0].value?.value == .text("relations"))
    }

    @Test func aFullMessageWaitsForNoOther() async {
        let collector = FakeCollector()
        let harness = SpanHarness(collector)
        harness.end(TraceLimits.callsPerBatch + 1)
        // The moment of the first call has its turn first, and finds all that is there.
        #expect(await harness.thread.step() == TraceLimits.batchMilliseconds)
        #expect(await harness.thread.step() == 0)
        // The answer comes, and the rest waits for its own moment.
        #expect(await harness.thread.step() == 0)
        #expect(await harness.thread.step() == TraceLimits.batchMilliseconds)
        await harness.thread.step()
        #expect(collector.messages.map(\.count) == [TraceLimits.callsPerBatch, 1])
    }

    @Test func spansBeyondTheQueueAreDroppedAndCounted() async {
        let collector = FakeCollector()
        let harness = SpanHarness(collector)
        harness.end(TraceLimits.waitingCalls + 5) { $0.add(.queue, from: 1, to: 2) }
        var reading = harness.exporter.reading()
        #expect(reading.dropped == 10 && reading.waitingCalls == TraceLimits.waitingCalls)
        while reading.waitingCalls > 0 || reading.exported < TraceLimits.waitingCalls * 2 {
            await harness.thread.step()
            reading = harness.exporter.reading()
        }
        #expect(reading == counts(UInt64(TraceLimits.waitingCalls) * 2, 10, 0))
        let lines = harness.lines.all
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("warning spans do not reach the collector"))
        #expect(lines[0].contains("cause=it takes spans too slowly"))
        #expect(lines[1].hasPrefix("info spans reach the collector again"))
    }

    @Test func aFailureThatMayPassIsFollowedByFurtherAttempts() async {
        let collector = FakeCollector([Self.failure(.unavailable), Self.failure(.deadlineExceeded)])
        let harness = SpanHarness(collector)
        harness.end()
        var waits: [Int] = []
        for _ in 0..<6 { waits.append(await harness.thread.step()) }
        let backoff = TraceLimits.backoffMilliseconds
        #expect(waits == [TraceLimits.batchMilliseconds, 0, backoff, 0, 2 * backoff, 0])
        #expect(harness.exporter.reading() == counts(1, 0, 0))
        // The three attempts are the same message, so a collector that has it twice can tell.
        #expect(collector.messages.count == 3)
        #expect(Set(collector.spans.map(\.spanID)).count == 1)
        #expect(
            harness.lines.all == [
                "warning spans do not reach the collector cause=UNAVAILABLE: no "
                    + "collector=collector:4317 lost_spans=0",
                "info spans reach the collector again collector=collector:4317 lost_spans=0",
            ])
    }

    @Test func aCollectorThatStaysAwayCostsItsMessagesAndOneLine() async {
        let attempts = TraceLimits.attempts
        let collector = FakeCollector(
            Array(repeating: Self.failure(.unavailable), count: 2 * attempts))
        let harness = SpanHarness(collector)
        for _ in 0..<2 {
            harness.end(2)
            for _ in 0..<2 * attempts { await harness.thread.step() }
        }
        #expect(harness.exporter.reading() == counts(0, 0, 4))
        #expect(collector.messages.count == 2 * attempts && harness.lines.all.count == 1)
    }

    @Test(arguments: [
        Status.Code.permissionDenied, .unauthenticated, .invalidArgument, .unimplemented,
        .internalError, .resourceExhausted,
    ])
    func aRefusalIsFinal(code: Status.Code) async {
        let collector = FakeCollector([Self.failure(code)])
        let harness = SpanHarness(collector)
        harness.end(2)
        await harness.thread.step()
        await harness.thread.step()
        #expect(harness.exporter.reading() == counts(0, 0, 2))
        #expect(collector.messages.count == 1 && harness.thread.waiting == 0)
        #expect(harness.lines.all.count == 1)
    }

    @Test func spansThatTheCollectorRejectsHaveFailed() async {
        let collector = FakeCollector([.success(Self.answer(rejecting: 2))])
        let harness = SpanHarness(collector)
        harness.end(3)
        await harness.thread.step()
        await harness.thread.step()
        #expect(harness.exporter.reading() == counts(1, 0, 2))
        #expect(harness.lines.all.count == 1)
        #expect(harness.lines.all.first?.contains("it rejects spans: too old") == true)
    }

    @Test func aCollectorCannotRejectMoreThanItGot() async {
        let collector = FakeCollector([
            .success(Self.answer(rejecting: .max)), .success(Self.answer(rejecting: -1)),
            .success([0xFF]),
        ])
        let harness = SpanHarness(collector)
        for _ in 0..<3 {
            harness.end()
            await harness.thread.step()
            await harness.thread.step()
        }
        #expect(harness.exporter.reading() == counts(2, 0, 1))
    }

    @Test func withoutACollectorNothingWaits() {
        let harness = SpanHarness(nil)
        harness.end(2)
        #expect(harness.exporter.reading() == counts(0, 2, 0) && harness.thread.waiting == 0)
    }

    @Test func anotherCollectorGetsWhatIsLeft() async {
        let (first, second) = (FakeCollector([Self.failure(.unavailable)]), FakeCollector())
        let harness = SpanHarness(first)
        harness.end()
        await harness.thread.step()
        await harness.thread.step()
        harness.exporter.setCollector(second)
        await harness.thread.step()
        await harness.thread.step()
        #expect(first.messages.count == 1 && second.messages.count == 1)
        #expect(harness.exporter.reading() == counts(1, 0, 0))
    }

    @Test func theEndSendsWhatWaits() async {
        let collector = FakeCollector()
        let harness = SpanHarness(collector)
        harness.end(TraceLimits.callsPerBatch + 1)
        async let end: Void = harness.exporter.close()
        let far = TraceLimits.closeMilliseconds
        while harness.exporter.reading().exported <= TraceLimits.callsPerBatch {
            await harness.thread.step(before: far)
        }
        await harness.thread.step(before: far)
        await end
        #expect(collector.spans.count == TraceLimits.callsPerBatch + 1 && collector.isClosed)
        // Calls that end later are not waited for.
        harness.end()
        #expect(harness.exporter.reading().dropped == 1)
    }

    @Test func theEndWaitsForNoCollectorThatIsAway() async {
        let harness = SpanHarness(FakeCollector([Self.failure(.unavailable)]))
        harness.end(2)
        async let end: Void = harness.exporter.close()
        while await harness.thread.step() != TraceLimits.closeMilliseconds {}
        await end
        #expect(harness.exporter.reading().exported == 0)
    }

    @Test func theLogHasALineForEachTroubleButNotEachMinute() {
        var trouble = TraceTrouble()
        let second: UInt64 = 1_000_000_000
        let start = 100 * second
        #expect(trouble.line(for: nil, lost: 0, at: start) == nil)
        #expect(trouble.line(for: "away", lost: 1, at: start)?.cause == "away")
        #expect(trouble.line(for: "away", lost: 2, at: start + 90 * second) == nil)
        #expect(trouble.line(for: nil, lost: 2, at: start + 91 * second)?.level == .info)
        let next = start + 92 * second
        #expect(trouble.line(for: "away", lost: 2, at: next)?.level == .warning)
        #expect(trouble.line(for: nil, lost: 2, at: next) != nil)
        let gap = TraceLimits.secondsBetweenLines * second
        #expect(trouble.line(for: "away", lost: 3, at: next + gap - 1) == nil)
        #expect(trouble.line(for: nil, lost: 3, at: next + gap - 1) == nil)
        #expect(trouble.line(for: "away", lost: 3, at: next + gap) != nil)
    }
}
