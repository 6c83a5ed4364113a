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
        for _ in 0..<64 { lookups.find("hangs.example") { _ in answers.add("hangs") } }
        #expect(threads.blocked == 1)
        lookups.find("other.test") { _ in answers.add("other") }
        #expect(threads.blocked == 2)
        threads.release(1)
        #expect(answers.all == ["other"])
        threads.release(0)
        #expect(answers.all.count == 65)
        // The next call asks anew.
        lookups.find("hangs.example") { _ in }
        #expect(threads.blocked == 1)
    }

    @Test func namesOfOneSiteTakeFewThreads() {
        let answers = Answers()
        for index in 0..<64 {
            lookups.find("a\(index).hangs.example") { _ in answers.add("hangs") }
        }
        #expect(threads.blocked == WebhookLimits.lookupsOfSite)
        lookups.find("other.test") { _ in answers.add("other") }
        #expect(threads.blocked == WebhookLimits.lookupsOfSite + 1)
        threads.release(WebhookLimits.lookupsOfSite)
        while threads.blocked > 0 { threads.release(0) }
        #expect(answers.all.count == 65)
        #expect(WebhookLimits.lookupsOfSite < WebhookLimits.lookupThreads)
    }

    @Test(arguments: [
        ("a.b.example.com", "example.com"), ("example.com", "example.com"),
        ("a.shop.co.uk", "shop.co.uk"), ("localhost", "localhost"),
    ])
    func aSiteIsTheEndOfItsNames(name: String, site: String) {
        #expect(HostLookups.site(of: name) == site)
    }
}

/// The answers that came, in their order.
private final class Answers: Sendable {
    private let names = Mutex<[String]>([])

    var all: [String] { names.withLock { $0 } }

    func add(_ name: String) { names.withLock { $0.append(name) } }
}
