import StoragePostgres
import Testing

/// The numbers that say how old a view of a standby is, at times that the tests choose.
struct MarkHistoryTests {
    private func history(
        _ begun: [Int], primary: UInt64 = 1, keeping age: Int = 1_000
    ) -> MarkHistory {
        var history = MarkHistory()
        for (index, time) in begun.enumerated() {
            history.add(Int64(index + 1), begun: time, primary: primary, keeping: age)
        }
        return history
    }

    @Test func aViewNeedsTheLowestNumberThatIsYoungEnough() {
        let history = history([100, 200, 300])
        let found = [0, 100, 101, 200, 300, 301].map { history.oldest(since: $0, primary: 1) }
        #expect(found == [1, 1, 2, 2, 3, nil])
        #expect(history.newest(primary: 1) == 300)
    }

    @Test func nothingIsKnownBeforeTheFirstNumber() {
        let history = MarkHistory()
        #expect(history.oldest(since: .min, primary: 0) == nil)
        #expect(history.newest(primary: 0) == nil)
    }

    @Test func numbersOfAnEarlierPrimaryCountForNothing() {
        var history = history([100, 200])
        #expect(history.oldest(since: 0, primary: 2) == nil)
        #expect(history.newest(primary: 2) == nil)
        history.add(3, begun: 300, primary: 2, keeping: 1_000)
        #expect(history.oldest(since: 0, primary: 2) == 3)
        #expect(history.oldest(since: 0, primary: 1) == nil)
        #expect(history.count == 1)
    }

    @Test func aNumberThatTwoCallsHaveTogetherIsNotedOnce() {
        var history = history([100, 200])
        history.add(2, begun: 200, primary: 1, keeping: 1_000)
        #expect(history.count == 2)
    }

    @Test func whatIsTooOldForAnyViewIsForgotten() {
        let history = history([100, 200, 1_150], keeping: 1_000)
        #expect(history.count == 2)
        #expect(history.oldest(since: 0, primary: 1) == 2)
    }

    @Test func asManyNumbersAreKeptAsTheLimitSays() {
        let history = history(Array(1...(Limits.keptMarks + 5)), keeping: .max / 2)
        #expect(history.count == Limits.keptMarks)
        #expect(history.oldest(since: 0, primary: 1) == 6)
    }
}
