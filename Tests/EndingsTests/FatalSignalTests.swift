import Endings
import Glibc
import Testing

/// The ends of processes that cannot go on, each in a process of its own.
@Suite struct FatalSignalTests {
    #if arch(x86_64)
        static let trap = SIGILL
    #else
        static let trap = SIGTRAP
    #endif

    @Test func aTrapOfSwiftEndsTheProcessByItsSignalAndSaysWhere() async throws {
        let ended = try await #require(
            processExitsWith: .signal(FatalSignalTests.trap), observing: [\.standardErrorContent]
        ) {
            FatalSignals.handle()
            let none: [Int] = []
            let index = Int(getpid())
            print(none[index])
        }
        let text = String(decoding: ended.standardErrorContent, as: UTF8.self)
        #expect(text.contains("Index out of range"), "what Swift says itself")
        #expect(text.contains("The process ends by SIG"))
        #expect(text.split(separator: "\n").count { $0.contains("[0x") } > 3, "\(text)")
    }

    @Test func aStackThatIsFullEndsTheProcessBySIGSEGV() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            FatalSignals.handle()
            func fall(_ depth: Int) -> Int { depth > 0 ? fall(depth + 1) + 1 : 0 }
            print(fall(Int(getpid())))
        }
    }

    @Test func aTraceThatIsNotReadEndsInTime() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            FatalSignals.handle()
            fillStandardError()
            abort()
        }
    }

    @Test func bytesThatAreNotReadHoldTheLastMomentUpNeither() async {
        await #expect(processExitsWith: .exitCode(74)) {
            fillStandardError()
            ExitDeadline.end(after: 1, status: 74)
            while true { pause() }
        }
    }

    @Test func severalThreadsThatTrapAtOnceEndTheProcessByOneSignal() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            FatalSignals.handle()
            for _ in 0..<8 {
                var thread = pthread_t()
                pthread_create(&thread, nil, { _ in abort() }, nil)
            }
            while true { pause() }
        }
    }

    @Test func whatDoesNotEndByItselfIsEndedInTime() async throws {
        let ended = try await #require(
            processExitsWith: .exitCode(74), observing: [\.standardErrorContent]
        ) {
            ExitDeadline.end(after: 1, status: 74)
            while true { pause() }
        }
        let text = String(decoding: ended.standardErrorContent, as: UTF8.self)
        #expect(text.contains("is ended"))
    }
}

/// Makes standard error a full pipe that no process reads: a write to it waits for ever.
private func fillStandardError() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { exit(1) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    while write(ends[1], "x", 1) == 1 {}
    _ = fcntl(ends[1], F_SETFL, 0)
    dup2(ends[1], STDERR_FILENO)
}
