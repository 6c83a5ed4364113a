import Synchronization
import Testing

@testable import Webhooks

/// Lookups of names whose name servers answer when the test says so.
@Suite struct HostLookupsTests {
    /// Threads of the test: a job blocks until it is let go.
    private final class Threads: Sendable {
        private let jobs = Mutex<[@Sendable () -> Void]>([])

        var blocked: Int { jobs.withLock { $0.count } }

        func run(_ job: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(job) } }

        /// Lets the job go on which began as that one.
        func release(_ index: Int) { jobs.withLock { $0.remove(at: index) }() }
    }

    private let threads = Threads()
    private let lookups: HostLookups

    init() {
        lookups = HostLookups(run: { [threads] in threads.run($0) }, resolve: { _ in .success([]) })
    }

    @Test func callsToAHangingNameTakeOneThread() {
        let answers = Answers()
        for _ in 0..<64 { lookups.find("hangs.example", for: 1) { _ in answers.add("hangs") } }
        #expect(threads.blocked == 1)
        lookups.find("other.test", for: 2) { _ in answers.add("other") }
        #expect(threads.blocked == 2)
        threads.release(1)
        #expect(answers.all == ["other"])
        threads.release(0)
        #expect(answers.all.count == 65)
        // The next call asks anew.
        lookups.find("hangs.example", for: 1) { _ in }
        #expect(threads.blocked == 1)
    }

    @Test func namesOfOneTenantTakeFewThreadsWhateverTheyAreCalled() {
        let answers = Answers()
        for index in 0..<64 {
            lookups.find("a.site\(index).example", for: 1) { _ in answers.add("hangs") }
        }
        #expect(threads.blocked == WebhookLimits.lookupsOfTenant)
        lookups.find("other.test", for: 2) { _ in answers.add("other") }
        #expect(threads.blocked == WebhookLimits.lookupsOfTenant + 1)
        threads.release(WebhookLimits.lookupsOfTenant)
        #expect(answers.all == ["other"])
        while threads.blocked > 0 { threads.release(0) }
        #expect(answers.all.count == 65)
        #expect(WebhookLimits.lookupsOfTenant < WebhookLimits.lookupThreads)
    }

    /// A name that waits behind those of one tenant is looked up for another one at once.
    @Test func aNameThatWaitsForOneTenantDoesNotForAnother() {
        let answers = Answers()
        for index in 0..<WebhookLimits.lookupsOfTenant {
            lookups.find("hangs\(index).example", for: 1) { _ in answers.add("hangs") }
        }
        lookups.find("shared.test", for: 1) { _ in answers.add("one") }
        lookups.find("shared.test", for: 1) { _ in answers.add("one") }
        lookups.find("shared.test", for: 2) { _ in answers.add("two") }
        #expect(threads.blocked == WebhookLimits.lookupsOfTenant + 1)
        // The first tenant gets the answer with the other one, once it is its turn.
        threads.release(0)
        #expect(answers.all == ["hangs"])
        threads.release(WebhookLimits.lookupsOfTenant - 1)
        #expect(answers.all == ["hangs", "two", "one", "one"])
        while threads.blocked > 0 { threads.release(0) }
        #expect(answers.all.count == WebhookLimits.lookupsOfTenant + 3)
    }

    @Test func tooManyNamesOfOneTenantAreNotFound() {
        let answers = Answers()
        let most = WebhookLimits.lookupsOfTenant + WebhookLimits.waitingLookupsOfTenant
        for index in 0..<most + 1 {
            lookups.find("a\(index).example", for: 1) { answer in
                answers.add((try? answer.get()) == nil ? "refused" : "found")
            }
        }
        #expect(answers.all == ["refused"])
        while threads.blocked > 0 { threads.release(0) }
        #expect(answers.all.count == most + 1)
    }
}

/// The answers that came, in their order.
private final class Answers: Sendable {
    private let names = Mutex<[String]>([])

    var all: [String] { names.withLock { $0 } }

    func add(_ name: String) { names.withLock { $0.append(name) } }
}
