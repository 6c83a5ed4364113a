import Protobuf
import Testing

@testable import Migrations

/// The bounds of what waits behind a proxy, and of what it reports.
@Suite struct ProxyLimitsTests {
    private func job(_ bytes: Int) -> ShadowQueues.Job {
        ShadowQueues.Job(
            call: ProxiedCall(target: "", body: []), answer: [UInt8](repeating: 0, count: bytes))
    }

    @Test func `Requests that wait have so many bytes together`() {
        let most = MigrationLimits.shadowBytes
        #expect(!ShadowQueues().offer(job(most + 1), of: "a"))
        let queues = ShadowQueues()
        #expect(queues.offer(job(most - 1), of: "a"))
        #expect(!queues.offer(job(2), of: "b"))
        #expect(queues.offer(job(1), of: "b"))
        #expect(!queues.offer(job(1), of: "a"))
    }

    @Test func `A request that is done makes room`() async {
        let queues = ShadowQueues()
        #expect(queues.offer(job(MigrationLimits.shadowBytes), of: "a"))
        #expect(!queues.offer(job(1), of: "b"))
        let (done, end) = AsyncStream<Int>.makeStream()
        let running = Task {
            await queues.run { job in
                end.yield(job.answer.count)
                if job.answer.count == 1 { end.finish() }
            }
        }
        var answers: [Int] = []
        for await count in done {
            answers.append(count)
            // The job leaves when its work has ended, which is soon.
            while count > 1, !queues.offer(job(1), of: "b") { await Task.yield() }
        }
        running.cancel()
        #expect(answers == [MigrationLimits.shadowBytes, 1])
    }

    @Test func `So many requests of a user wait`() {
        let queues = ShadowQueues()
        let most = MigrationLimits.shadowCallsOfQueue
        for number in 0...most {
            #expect(queues.offer(job(1), of: "a") == (number < most))
        }
        // The jobs of other users have queues of their own, all of which are as long.
        var taken = 0
        for number in 0..<(MigrationLimits.shadowQueues * most * 4)
        where queues.offer(job(1), of: "u\(number)") {
            taken += 1
        }
        #expect(taken == (MigrationLimits.shadowQueues - 1) * most)
    }

    private func differences(_ old: String, _ new: String) -> [MigrationLoss] {
        let call = ProxiedCall(
            target: "/v4/sns/black_list_get", body: Array(#"{"From_Account": "a"}"#.utf8))
        return AnswerComparison(call, Array(old.utf8), Array(new.utf8)).differences
    }

    private func list(_ rows: [String]) -> String {
        #"{"ErrorCode": 0, "BlackListItem": [\#(rows.joined(separator: ","))]}"#
    }

    @Test func `So many differences of a request are reported`() {
        let most = MigrationLimits.differencesOfCall
        let rows = (0...most).map { #"{"To_Account": "u\#($0)"}"# }
        #expect(differences(list(rows), list([])).count == most)
        #expect(differences(list(Array(rows.dropLast(2))), list([])).count == most - 1)
    }

    @Test func `Times of one change are so near`() {
        let near = MigrationLimits.nearSeconds
        func count(_ time: Int64) -> Int {
            let row = { (time: Int64) in #"{"To_Account": "u", "AddBlackTimeStamp": \#(time)}"# }
            return differences(list([row(1_000)]), list([row(time)])).count
        }
        #expect(count(1_000 + near) == 0 && count(1_000 - near) == 0)
        #expect(count(1_001 + near) == 1 && count(999 - near) == 1)
    }

    @Test func `A difference shows so much of each value`() {
        let most = MigrationLimits.shownBytes
        let text = String(repeating: "w", count: most + 9)
        let found = differences(
            list([#"{"To_Account": "u", "Word": "\#(text)"}"#]), list([#"{"To_Account": "u"}"#]))
        #expect(found.map { $0.rule.filter { $0 == "w" }.count } == [most])
    }
}
