import RelationModel
import Storage
import Synchronization
import Testing
import Webhooks

@testable import RelationCore
@testable import RelationHooks

/// Tests of hooks: their events, and how many are under way.
struct HookTesterTests {
    private static let app = App(id: 3, settings: .tim)

    private final class Receiver: Sendable {
        let requests = Mutex<[HookRequest]>([])
        let answers = Mutex<[@Sendable (HookResult) -> Void]>([])
        let results = Mutex<[HookResult]>([])

        var tester: HookTester {
            HookTester { request, done in
                self.requests.withLock { $0.append(request) }
                self.answers.withLock { $0.append(done) }
            }
        }

        func answer() {
            let waiting = answers.withLock { answers in
                defer { answers = [] }
                return answers
            }
            for answer in waiting { answer(HookResult(WebhookAnswer(status: 204))) }
        }
    }

    @Test func anAppHasFourTestsAtOneTimeAndOthersHaveTheirOwn() {
        let receiver = Receiver()
        let tester = receiver.tester
        for _ in 0..<Limits.hookTests {
            let permit = tester.acquire(of: 3)
            #expect(permit != nil)
            guard let permit else { return }
            tester.send(to: HookRecord(), of: Self.app, at: 5, with: permit) { result in
                receiver.results.withLock { $0.append(result) }
            }
        }
        #expect(tester.acquire(of: 3) == nil)
        #expect(tester.acquire(of: 4) != nil)
        #expect(tester.count == Limits.hookTests)
        receiver.answer()
        #expect(receiver.results.withLock { $0.count } == Limits.hookTests)
        #expect(tester.count == 0)
        #expect(tester.acquire(of: 3) != nil)
    }

    @Test func aTestHasTheFormOfItsHookAndANameOfItsOwn() throws {
        let receiver = Receiver()
        let tester = receiver.tester
        var hook = HookRecord()
        hook.id = "abcdefghijklmnop"
        for (form, size, time) in [
            (.cloudEvents, 1, 5), (.cloudEvents, 9, 6), (.timCallbacks, 1, 7),
        ] as [(HookForm, Int32, Int64)] {
            hook.form = form
            hook.batchSize = size
            let permit = try #require(tester.acquire(of: 3))
            tester.send(to: hook, of: Self.app, at: time, with: permit) { _ in }
        }
        let requests = receiver.requests.withLock { $0 }
        let bodies = requests.map { String(decoding: $0.body, as: UTF8.self) }
        let name = "3-\(Self.app.history.text)-test-abcdefghijklmnop-5"
        #expect(HookTester.eventID(of: hook, Self.app, at: 5) == name)
        #expect(
            bodies[0] == """
                {"specversion":"1.0","id":"\(name)","source":"/apps/3","type":"relation.v1.test",\
                "time":"1970-01-01T00:00:00.005Z","datacontenttype":"application/json",\
                "data":{"hookId":"abcdefghijklmnop"}}
                """)
        #expect(bodies[1].hasPrefix(#"[{"specversion":"1.0""#))
        #expect(
            bodies[2]
                == #"{"CallbackCommand":"Relation.CallbackTest","HookId":"abcdefghijklmnop"}"#)
        let names = requests.map { $0.headers.first { $0.name == "webhook-id" }?.value }
        #expect(names[0] == name)
        #expect(Set(names).count == 3)
    }

    /// A server that stores the progress of a hook leaves the time of its last test alone.
    @Test func theTimeOfATestGrowsAndStays() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        let loop = bench.server()
        try bench.change("ann")
        try loop.pass()
        let times = try (0..<2).map { _ in
            try bench.write { (ledger) throws(StorageError) in
                try Hooks.test(id, in: ledger)?.progress.testedMs
            }
        }
        #expect(times == [bench.nowMs, bench.nowMs + 1])
        try bench.run(loop)
        bench.later(HookLimits.storeMilliseconds)
        try bench.run(loop)
        let progress = try #require(try bench.progress(id))
        #expect((progress.position, progress.testedMs) == (1, times[1]))
        let unknown = try bench.write { (ledger) throws(StorageError) in
            try Hooks.test(HookID("?"), in: ledger)
        }
        #expect(unknown == nil)
    }
}
