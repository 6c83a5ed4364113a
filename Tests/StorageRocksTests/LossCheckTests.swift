import Testing

@testable import StorageRocks

/// Logs that lie side by side, as while several write buffers wait to become files.
@Suite struct LossCheckTests {
    /// Changes 1 to 300 in three logs, all of which the mark knows.
    private let mark: Mark = {
        var mark = Mark(Mark.Point(sequence: 0, writes: 0, timeMs: 0))
        mark.add(Mark.Point(sequence: 300, writes: 300, timeMs: 9))
        mark.logs = [(4, 1), (5, 101), (6, 201)].map { Mark.Log(number: $0, first: $1) }
        return mark
    }()
    private let first = LogScan(number: 4, first: 1, last: 100)
    private let second = LogScan(number: 5, first: 101, last: 200)
    private let third = LogScan(number: 6, first: 201, last: 300)

    @Test func logsThatFollowEachOtherAreWhole() {
        #expect(last([first, second, third]) == 300)
        // A log of which all changes are in files is no longer needed.
        let state = RestingState(firstLog: 5, lastSequence: 100)
        #expect(LossCheck.compare(mark, state, [second, third]).last == 300)
    }

    @Test func aLogThatIsMissingBetweenOthersIsFound() {
        #expect(last([first, third]) == 100)
        #expect(last([second, third]) == 0)
        #expect(last([first, second]) == 200)
    }

    @Test func aLogThatIsCutBeforeAnotherIsFound() {
        let cut = LogScan(number: 5, first: 101, last: 150)
        #expect(last([first, cut, third]) == 150)
        let damaged = LogScan(number: 4, first: nil, last: 0, flaw: 0, newest: 100)
        #expect(last([damaged, second, third]) == 0)
    }

    @Test func whatTheListOfFilesNamesWasThere() {
        // The mark is older than the loss; the list of files is not.
        let old = Mark(Mark.Point(sequence: 100, writes: 100, timeMs: 0))
        let state = RestingState(firstLog: 5, lastSequence: 180)
        let cut = LogScan(number: 5, first: 101, last: 150)
        let found = LossCheck.compare(old, state, [cut])
        #expect((found.last, found.newest) == (150, 180))
    }

    @Test func logsThatBeginBehindTheFilesMissWhatIsBetween() {
        let old = Mark(Mark.Point(sequence: 10, writes: 10, timeMs: 0))
        let state = RestingState(firstLog: 4, lastSequence: 50)
        let found = LossCheck.compare(old, state, [second])
        #expect((found.last, found.newest) == (50, 200))
    }

    private func last(_ logs: [LogScan]) -> UInt64 {
        LossCheck.compare(mark, RestingState(firstLog: 4, lastSequence: 0), logs).last
    }
}

extension LogScan {
    fileprivate init(number: UInt64, first: UInt64?, last: UInt64) {
        self.init(number: number, first: first, last: last, flaw: nil, newest: last)
    }
}
