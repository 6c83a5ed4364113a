import RelationAdmission
import RelationModel
import Storage
import Testing

@testable import RelationCore
@testable import RelationHooks

/// The rows of hooks in a check of the integrity.
struct HookIntegrityTests {
    private static func finding(_ bench: HookBench) throws -> Integrity.Finding? {
        let app = try #require(bench.apps[HookBench.app])
        return try bench.store.read(reaching: .disk) { (transaction) throws(StorageError) in
            try Integrity.hookFinding(of: app, in: transaction)
        }
    }

    private static func repair(_ bench: HookBench) throws -> Bool {
        try bench.write { (ledger) throws(StorageError) in
            try Integrity.repairHooks(in: ledger)
        }
    }

    @Test func aHookWithoutAPositionGetsAllThatIsKept() throws {
        let bench = try HookBench()
        try bench.change("ann", "bob")
        let id = try bench.hook()
        #expect(try Self.finding(bench) == nil)
        #expect(try !Self.repair(bench))
        try bench.write { (ledger) throws(StorageError) in
            Tables.hookProgress.remove(ledger.app.partition, id, in: ledger.transaction)
        }
        #expect(
            try Self.finding(bench)
                == Integrity.Finding(
                    user: nil, fault: .rowWithoutIndex, subject: "hook_progress"))
        let loop = bench.server()
        try bench.run(loop)
        #expect(bench.received.isEmpty)
        #expect(try Self.repair(bench))
        #expect(try Self.finding(bench) == nil)
        bench.later(HookLimits.retakeMilliseconds)
        try bench.run(loop)
        #expect(bench.positions.sorted() == [1, 2])
    }

    @Test func rowsThatNoHookHasAreRemoved() throws {
        let bench = try HookBench()
        let id = try bench.hook()
        bench.answers(500)
        try bench.change("ann")
        try bench.run(bench.server(), for: 10_000, every: 500)
        let known = try #require(try bench.progress(id)).failures
        #expect(known > 0)
        #expect(try Self.finding(bench) == nil)
        let other = HookID("bbbbbbbbbbbbbbbb")
        let strays = [HookFailureKey(id, known + 1), HookFailureKey(other, 1)]
        try bench.write { (ledger) throws(StorageError) in
            for key in strays {
                try Tables.hookFailures.set(
                    HookFailureRecord(), at: ledger.app.partition, key, in: ledger.transaction)
            }
        }
        #expect(try Self.finding(bench)?.subject == "hook_failures")
        #expect(try Self.repair(bench))
        #expect(try Self.finding(bench) == nil)
        try bench.write { (ledger) throws(StorageError) in
            try Tables.hookProgress.set(
                HookProgressRecord(), at: ledger.app.partition, other, in: ledger.transaction)
        }
        #expect(
            try Self.finding(bench)
                == Integrity.Finding(
                    user: nil, fault: .indexWithoutRow, subject: "hook_progress"))
        #expect(try Self.repair(bench))
        #expect(try Self.finding(bench) == nil)
        #expect(try bench.progress(id)?.failures == known)
    }
}
