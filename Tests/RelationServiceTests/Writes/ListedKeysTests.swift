import RelationAPI
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// A write lists the rows that it reads, so that the engine reads them together.
struct ListedKeysTests {
    @Test func aWriteReadsNothingThatItHasNotListed() throws {
        var unlisted: [String: [UInt8: Int]] = [:]
        for seed in UInt64(1)...4 {
            var history = ServiceHistory(seed: seed)
            let store = ListingStore()
            let harness = ServiceHarness(try World(on: store, settings: history.settings))
            try harness.world.create(ServiceHistory.users)
            try harness.register()
            for step in ServiceHistory.beginning { _ = try step.send(to: harness, WriteOptions()) }
            _ = store.take()
            for _ in 0..<400 {
                let turn = history.next()
                harness.world.advance(milliseconds: turn.pauseMs)
                _ = try turn.step.send(to: harness, turn.options)
                let name = String(turn.step.description.prefix { $0 != " " })
                unlisted[name, default: [:]].merge(store.take(), uniquingKeysWith: +)
            }
        }
        for (name, kinds) in unlisted.sorted(by: { $0.key < $1.key }) {
            let text = kinds.sorted { $0.key < $1.key }
                .map { "\(String($0.key, radix: 16)): \($0.value)" }.joined(separator: ", ")
            #expect(kinds.isEmpty, "\(name): \(text)")
        }
    }
}
