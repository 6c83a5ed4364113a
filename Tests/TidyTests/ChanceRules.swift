/// Finds where code that runs under one seed takes time or chance from the machine.
///
/// Under one seed all time is virtual, and all chance is drawn. A source that is not passed in
/// makes two runs differ. So each one is named here: as a default that a simulation replaces, or as
/// one that it does not come to.
enum ChanceRules {
    /// The folders whose code runs under one seed.
    static let targets: Set = [
        "Memory", "RPC", "GRPC", "HTTP2", "Storage", "RelationModel", "RelationAccess",
        "RelationCore", "RelationCalls", "RelationAdmission", "RelationRuntime", "RelationChanges",
        "RelationService", "GRPCClient", "RelationClient", "WholeSimulation",
    ]

    private static let sources = [
        "SystemClock.", "Deadline.clock", "Lease.nanoseconds", "Date()", "Date(timeInterval",
        "DispatchTime.now",
        "NIODeadline.now", "ContinuousClock", "SuspendingClock", "clock_gettime(", "gettimeofday(",
        "mach_absolute_time(", "usleep(", "nanosleep(", "Thread.sleep", "Task.sleep",
        "SystemRandomNumberGenerator", "arc4random", "getrandom(", "UUID()", ".randomElement()",
        ".shuffled()", ".shuffle()", ".random(in:", "Bool.random()",
    ]

    /// The sources that are known, each by its file and the beginning of its line.
    static let known: [String: Set<String>] = [
        // The clocks and the chance of the machine themselves, which are passed in.
        "Sources/RPC/Deadline.swift": [
            "clock_gettime(CLOCK_MONOTONIC", "package var isPast: Bool { nanoseconds",
        ],
        "Sources/Storage/Peers/Lease.swift": ["package static var nanoseconds"],
        "Sources/RelationCalls/ServiceClock.swift": ["Timestamp(milliseconds: SystemClock.wall"],
        "Sources/RelationCalls/Randomness.swift": ["var generator = SystemRandomNumberGenerator()"],
        "Sources/RelationRuntime/ThreadSource.swift": ["clock: { Deadline.clock }, make:"],
        "Sources/RelationRuntime/Peers/StoreClock.swift": ["let counter = counter ??"],
        "Sources/RelationService/Call/StandbyReads.swift": ["usleep(UInt32(clamping:"],
        "Tests/WholeSimulation/Postgres/MachineTime.swift": [
            "package var now: UInt64 { Lease.nanoseconds }", "if changes == seen { _ = condition",
        ],
        "Sources/RelationClient/ClientClock.swift": [
            "static let system = ClientClock(", "isSystem = clock is ContinuousClock",
            "var system = SystemRandomNumberGenerator()",
        ],
        "Sources/GRPCClient/ChannelChance.swift": ["var system = SystemRandomNumberGenerator()"],
        // A client with the system's clock, and one with a substitute of its server.
        "Sources/RelationClient/Client.swift": ["let (now, end) = (Deadline.clock,"],
        "Sources/RelationClient/Double/ClientDouble+Attempts.swift": [
            "let now = Deadline.clock", "try? await Task.sleep(for: left)",
        ],
        // Figures for operators, by which nothing is decided.
        "Sources/GRPC/Meters/Server+Meters.swift": [
            "let time = Int64(clamping: NIODeadline.now()", "let now = NIODeadline.now()",
        ],
        "Sources/RelationAdmission/Authenticator.swift": [
            "let began = notes.isTraced", "defer { if began != 0 { notes.add(.admission",
        ],
        "Sources/RelationChanges/Watch/ChangeHub.swift": [
            "if state.oldestCommit == nil", "lags.record(Deadline.clock",
        ],
        "Sources/RelationRuntime/Writes/Committer+Outcome.swift": ["let now = Deadline.clock"],
        "Sources/RelationRuntime/Writes/Committer.swift": [
            "let began = isTraced", "defer { if isTraced",
        ],
        "Sources/RelationRuntime/Writes/StopWatch.swift": [
            "private var last = Deadline.clock", "let now = Deadline.clock",
        ],
        "Sources/RelationService/Call/HookAsking.swift": ["open.handle.queues(at:"],
        "Sources/RelationService/Call/ServedWrite.swift": ["call.handle.queues(at:"],
        "Sources/RelationService/Metrics/RelationServer+Metrics.swift": [
            "return server.hang() ??", "OperatorTables.slowCalls(",
        ],
        // Chance that a simulation switches off, or does not come to.
        "Sources/GRPC/Inside/InsideCalls.swift": ["guard let socket = connectInside"],
        "Sources/GRPC/Server/ConnectionStateMachine.swift": ["return now + .milliseconds(age"],
        "Sources/RelationCore/App/History.swift": [
            "history.id = id ??", "let present = isBeyond ?",
        ],
        "Sources/RelationCore/Backup/Identity.swift": [
            "record.history.id = .random", "let digits = String(UInt64.random",
        ],
        "Sources/RelationRuntime/Reads/ExportPoints.swift": ["var lastID = UInt64.random"],
        "Sources/RelationService/StoreService.swift": ["holder: Randomness.system.text"],
        // Salts of hashes, on whose order no answer depends.
        "Sources/RelationAdmission/TokenBucket.swift": ["seed: UInt64 = UInt64.random"],
        "Sources/RelationCore/Cache/IDHash.swift": ["var system = SystemRandomNumberGenerator()"],
    ]

    /// The lines of a file that take time or chance from the machine.
    static func findings(in file: SourceFile) -> [Finding] {
        guard targets.contains(file.target ?? "") else { return [] }
        let known = known[file.path] ?? []
        return places(in: file).filter { place in
            !known.contains { file.trimmed(place.line).hasPrefix($0) }
        }.map { Finding(file, $0.line, "\($0.text) is not passed in, and so breaks one seed") }
    }

    /// The known sources that stand in a file no more.
    static func outdated(in file: SourceFile) -> [String] {
        guard let known = known[file.path] else { return [] }
        let lines = places(in: file).map { file.trimmed($0.line) }
        return known.filter { text in
            !lines.contains { $0.hasPrefix(text) }
        }.sorted()
    }

    private static func places(in file: SourceFile) -> [(text: String, line: Int)] {
        file.lines.indices.compactMap { number in
            let code = file.lines[number].code
            // A generator that is passed in is the seed's, and a clock that is the default of a
            // parameter can be another one.
            guard !code.contains("using:"), let text = sources.first(where: code.contains),
                !code.contains("= { \(text)")
            else { return nil }
            return (text, number)
        }
    }
}

extension SourceFile {
    /// The code of a line without the spaces before it.
    fileprivate func trimmed(_ line: Int) -> Substring {
        lines[line].code.drop(while: \.isWhitespace)
    }
}
