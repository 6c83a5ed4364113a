import Glibc
import Meters
import Support
import Testing

@testable import AdminEndpoints

/// The system's own numbers of the process.
struct ProcessTests {
    init() {
        ThreadName.register("committer", kind: "committer")
        ThreadName.register("readers-1", kind: "readers")
        ThreadName.register(prefix: "engine:", kind: "engine")
    }

    @Test func aNameInBracketsMayHaveBracketsAndBlanks() {
        let text = "7 (a) b(c) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0 20 0 1 0 555 1 1\n"
        let stat = ProcessReading.stat(in: text)
        #expect(stat == ProcessReading.Stat(name: "a) b(c", ticks: 42, start: 555))
        #expect(ProcessReading.stat(in: "7 (a") == nil)
        #expect(ProcessReading.stat(in: "7 (a) S 1") == nil)
    }

    @Test func theKindsOfThreadsAreFew() {
        let names = ["NIO-ELT-0-#3", "committer", "readers-1", "engine:low", "whatever 17"]
        #expect(
            names.map(ProcessReading.kind) == ["loop", "committer", "readers", "engine", "other"])
    }

    @Test func thisProcessHasMemoryFilesAndThreads() {
        let reading = ProcessReading()
        #expect((reading.residentBytes ?? 0) > 1 << 20)
        #expect((reading.openFiles ?? 0) >= 3)
        #expect((reading.mostFiles ?? 0) >= (reading.openFiles ?? 0))
        #expect((reading.startTime ?? 0) > 1_500_000_000)
        #expect(!reading.threads.isEmpty)
    }

    @Test func theProcessHasPrometheusNames() {
        var text = MetricText()
        text.addProcess()
        #expect(text.families.contains("process_cpu_seconds_total"))
        #expect(text.families.contains("process_open_fds"))
        #expect(text.families.contains("relation_thread_cpu_seconds_total"))
    }

    private func stat(_ name: String, _ ticks: Int, start: Int) -> ProcessReading.Stat {
        ProcessReading.Stat(name: name, ticks: ticks, start: start)
    }

    private func ticks(_ kinds: [ThreadTimes.Kind]) -> [String: [Int]] {
        Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, [$0.threads, $0.ticks]) })
    }

    @Test func theTimeOfThreadsThatEndStaysWithTheirKind() {
        let times = ThreadTimes()
        var shown = times.add(
            [("1", stat("relationd", 5, start: 1)), ("2", stat("readers-1", 40, start: 2))],
            allTicks: 45)
        #expect(ticks(shown) == ["other": [1, 5], "readers": [1, 40]])
        // The reader ends, and another thread has its id. Some threads came and went in between.
        shown = times.add(
            [("1", stat("relationd", 6, start: 1)), ("2", stat("unknown", 3, start: 9))],
            allTicks: 60)
        #expect(ticks(shown) == ["other": [2, 20], "readers": [0, 40]])
        shown = times.add([("1", stat("relationd", 6, start: 1))], allTicks: 61)
        #expect(ticks(shown) == ["other": [1, 21], "readers": [0, 40]])
    }

    @Test func noTimeOfThreadsFalls() {
        let times = ThreadTimes()
        _ = times.add([("1", stat("relationd", 9, start: 1))], allTicks: 9)
        // The thread has got its name, and the system rounds the process's time down.
        let shown = times.add([("1", stat("committer", 10, start: 1))], allTicks: 8)
        #expect(ticks(shown) == ["committer": [1, 10], "other": [0, 9]])
    }

    @Test func aFileThatWasRemovedCountsAsLongAsItIsOpen() throws {
        let file = try #require(tmpfile())
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        fflush(file)
        #expect((ProcessReading().removedBytes ?? 0) >= 1 << 20)
        fclose(file)
    }
}
