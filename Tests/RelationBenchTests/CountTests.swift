import StorageRocks
import Testing

@testable import relationbench

/// The calls whose instructions are counted, without a counter: each is answered rightly, and does
/// all its work on the calling thread.
///
/// The tests come one after another, because they start programs: a program that is about to begin
/// still holds the lock of each folder that was open.
@Suite(.serialized) struct CountTests {
    /// A data folder, for as long as `body` runs.
    private static func withData(_ body: (String) throws -> Void) throws {
        let folder = try Tool.makeFolder(in: "/tmp")
        defer { Tool.removeFolder(folder) }
        try CountData.prepare(folder + "/data")
        try body(folder + "/data")
    }

    @Test func everyCountedCallIsAnsweredRightly() throws {
        try Self.withData { data in
            for call in CountedCall.all + CountedCall.costs {
                let copy = "\(data)-\(call.name)"
                try Tool.run("/bin/cp", ["-r", data, copy])
                let plan = try Count.run(call, copy)
                #expect(plan.counted > 0, "\(call.name) counts no call")
                #expect(call.watched.isEmpty == (plan.events == 0), "\(call.name)")
            }
        }
    }

    @Test func theNamesAreThoseOfTwentySevenCallsAndAnEvent() {
        let names = CountedCall.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(names.map { $0.prefix { $0 != "." } }).count == 28)
    }

    @Test func theTableOfCostsHasCallsWithoutACeiling() {
        let names = CountedCall.costs.map(\.name)
        #expect(Set(names).count == names.count && names.allSatisfy { $0.hasSuffix(".batch16") })
        #expect(Set(names).isDisjoint(with: CountedCall.all.map(\.name)))
    }

    @Test(arguments: [1, 16, 64]) func aBatchIsOneTransaction(size: Int) throws {
        try Self.withData { data in
            let store = try RocksStore(folder: data)
            defer { store.close() }
            let service = CountedService(store)
            defer { service.close() }
            let call = try #require(
                CountedCall.all.first { $0.name == "AddFriends.batch\(size)" })
            let plan = try call.plan()
            try plan.run(on: service) { work in
                let before = store.commitCount
                try work()
                #expect(store.commitCount - before == plan.turns)
            }
            #expect(plan.streams == size)
        }
    }

    @Test func aWrongAnswerIsSeen() throws {
        try Self.withData { data in
            let store = try RocksStore(folder: data)
            defer { store.close() }
            let service = CountedService(store)
            defer { service.close() }
            let call = try #require(CountedCall.all.first { $0.name == "AddFriends.batch16" })
            let plan = try call.plan()
            try plan.run(on: service) { work in try work() }
            // All are friends by now, so to add them again is not a success.
            #expect(throws: FloodError.self) {
                try plan.run(on: service) { work in try work() }
            }
        }
    }
}
