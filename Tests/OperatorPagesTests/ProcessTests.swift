import Meters
import Testing

@testable import OperatorPages

/// The system's own numbers of the process.
struct ProcessTests {
    @Test func aNameInBracketsMayHaveBracketsAndBlanks() {
        let text = "7 (a) b(c) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0 20 0 1 0 555 1 1\n"
        let stat = ProcessReading.stat(in: text)
        #expect(stat == ProcessReading.Stat(name: "a) b(c", ticks: 42, start: 555))
        #expect(ProcessReading.stat(in: "7 (a") == nil)
        #expect(ProcessReading.stat(in: "7 (a) S 1") == nil)
    }

    @Test func theKindsOfThreadsAreFew() {
        let names = [
            "NIO-ELT-0-#3", "pages", "committer", "readers-behind", "rocksdb:low", "watch",
            "store-fault", "whatever 17",
        ]
        #expect(
            names.map(ProcessReading.kind) == [
                "loop", "pages", "committer", "readers", "engine", "watch", "store", "other",
            ])
    }

    @Test func thisProcessHasMemoryFilesAndThreads() {
        let reading = ProcessReading()
        #expect((reading.residentBytes ?? 0) > 1 << 20)
        #expect((reading.openFiles ?? 0) >= 3)
        #expect((reading.mostFiles ?? 0) >= (reading.openFiles ?? 0))
        #expect((reading.startTime ?? 0) > 1_500_000_000)
        #expect(!reading.threads.isEmpty)
    }

    @Test func theProcessIsToldByPrometheusNames() {
        var text = MetricText()
        text.addProcess()
        #expect(text.families.contains("process_cpu_seconds_total"))
        #expect(text.families.contains("process_open_fds"))
        #expect(text.families.contains("relation_thread_cpu_seconds_total"))
    }
}
