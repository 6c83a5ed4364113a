import Protobuf
import RelationAPI

/// Measures one server over graphs of several sizes.
///
/// Each graph is imported by the operator's command line. Its calls are measured in turns with
/// those over the smallest graph, so a machine that becomes slower makes both slower.
final class GrowthBench {
    static let check = "CheckFriends of 1"
    static let checks = "CheckFriends of 20"
    static let addition = "AddFriends, 64 in flight"
    static let calls = [check, checks, addition]

    private let options: Growth
    private let effort: GrowthEffort
    /// The program of the server.
    private let program: String
    private let graphs: [LiftedGraph]
    private var figures = GrowthFigures()

    init(_ options: Growth, program: String) throws {
        (self.options, effort, self.program) = (options, options.effort, program)
        let base = try SampleGraph(
            path: options.measured.graph, lines: options.quick ? GrowthLimits.quickLines : .max)
        graphs = options.friendships.sorted().map {
            LiftedGraph(base, friendships: $0, seed: options.measured.seed)
        }
    }

    /// - Parameter note: Gets what is being done.
    /// - Throws: ``FloodError`` if there is too little room, an answer was wrong, or a program
    ///   failed.
    func run(_ note: (String) -> Void) throws -> GrowthFigures {
        try DiskSpace.require(
            DiskSpace.graphs(graphs.map(\.friendshipCount)), at: options.measured.folder,
            print: note)
        figures.effort = effort
        figures.machine =
            Machine.facts + [
                ("memory", "\(Machine.memoryBytes >> 20) MiB"),
                ("order of lines", "\(options.order.rawValue), seed \(options.measured.seed)"),
            ]
        let folder = try Tool.makeFolder(in: options.measured.folder)
        defer { Tool.removeFolder(folder) }
        for (index, graph) in graphs.enumerated() {
            note("\(graph.friendshipCount) friendships of \(graph.userCount) users")
            let data = "\(folder)/\(index)"
            let reasons = try Disturbance.reasons {
                figures.sizes.append(try fill(data, graph, in: folder, note))
            }
            figures.disturbances += reasons.map { "import of \(graph.friendshipCount): \($0)" }
            // Each size begins beside the rows of the smallest without any that a turn has added.
            let copy = folder + "/smallest"
            try Tool.run("/bin/cp", ["-r", "\(folder)/0", copy])
            defer { Tool.removeFolder(copy) }
            try measure(index, index == 0 ? nil : data, smallest: copy, note)
            if index > 0 { Tool.removeFolder(data) }
        }
        return figures
    }

    // MARK: Import

    /// Imports a graph, and lets the engine sort its files.
    private func fill(
        _ data: String, _ graph: LiftedGraph, in folder: String, _ note: (String) -> Void
    ) throws -> SizeFigures {
        var size = SizeFigures(users: graph.userCount, friendships: graph.friendshipCount)
        let file = folder + "/friendships"
        note("writing the file")
        try graph.write(to: file, isMixed: options.order == .mixed) { count in
            note("\(count) of \(graph.friendshipCount)")
        }
        note("importing")
        let server = try start(data)
        let before = try ProcessTree(of: server.process).writtenBytes
        size.imported = try Importer(program: options.importer ?? Tool.beside("relationctl")).run(
            file, of: graph, into: server, log: folder + "/log", note)
        try Tool.run("/bin/rm", ["-f", file])
        note("waiting until the engine rests")
        _ = try server.settledUsage(
            for: GrowthLimits.restSeconds, within: GrowthLimits.settleSeconds)
        size.settledBytes = try ProcessTree(of: server.process).writtenBytes - before
        size.diskBytes = try DiskSpace.used(by: data)
        let begin = FloodRun.now()
        try server.stop(seconds: GrowthLimits.settleSeconds)
        size.stopSeconds = Double(FloodRun.now() - begin) / 1e9
        return size
    }

    private func start(_ data: String) throws(FloodError) -> ServerProcess {
        try ServerProcess(
            serving: program, ["serve", "--data", data],
            seconds: GrowthLimits.settleSeconds)
    }

    // MARK: Calls

    /// A server, and the calls to it.
    private struct Running {
        let name: String
        let server: ServerProcess
        let calls: GrowthCalls
    }

    /// - Parameter data: The folder of the rows; nil for those of the smallest graph.
    private func measure(
        _ index: Int, _ data: String?, smallest: String, _ note: (String) -> Void
    ) throws {
        note("starting, and asking for each user")
        let begin = FloodRun.now()
        let server = try start(data ?? smallest)
        figures.sizes[index].startSeconds = Double(FloodRun.now() - begin) / 1e9
        _ = try server.settledUsage(
            for: GrowthLimits.restSeconds, within: GrowthLimits.settleSeconds)
        figures.sizes[index].startBytes = try server.usage().residentBytes
        let title = GraphSize.text(graphs[index].friendshipCount)
        let own = Running(
            name: title, server: server,
            calls: GrowthCalls(graphs[index], seed: options.measured.seed))
        try visit(own, graphs[index].userCount)
        figures.sizes[index].usedBytes = try server.usage().residentBytes

        var running = [own]
        if data != nil {
            let least = Running(
                name: "smallest", server: try start(smallest),
                calls: GrowthCalls(graphs[0], seed: options.measured.seed))
            try visit(least, graphs[0].userCount)
            running.append(least)
        }
        for name in Self.calls {
            note("\(title): \(name)")
            var turns = Turns(effort: effort.peers, title: "\(title), \(name)")
            for running in running { add(name, running, to: &turns) }
            let rounds = try turns.measure()
            figures.disturbances += turns.disturbances
            figures.sizes[index].calls.append((name, rounds[0], rounds.dropFirst().first))
        }
        for running in running { try running.server.stop(seconds: GrowthLimits.settleSeconds) }
    }

    /// Asks for one friend of each user, so that all rows are in use.
    private func visit(_ running: Running, _ users: Int) throws {
        for first in stride(from: 0, to: users, by: GrowthLimits.batch) {
            let owners = first..<min(users, first + GrowthLimits.batch)
            try ask(running, try running.calls.visits(owners))
        }
    }

    /// Makes each of these checks once.
    private func ask(_ running: Running, _ requests: [Flood.Request]) throws {
        try Flood.once(
            requests, running.server.port, "\(running.name), each user",
            seconds: GrowthLimits.batchSeconds)
    }

    private func add(_ name: String, _ running: Running, to turns: inout Turns) {
        let (effort, port) = (effort, running.server.port)
        guard name == Self.addition else {
            turns.add(running.name, running.server) {
                Flood(
                    port: port,
                    requests: try running.calls.checks(
                        effort.requests, ids: name == Self.check ? 1 : StoreLimits.readUsers))
            }
            return
        }
        turns.add(running.name) { _ in
            var turn = Turns.Turn()
            let first = running.calls.added.count
            let flood = Flood(
                port: port, path: FriendMethods.addFriends.path,
                requests: try running.calls.additions(effort.writes),
                load: StoreLimits.massed, calls: effort.writes)
            turn.before = try ProcessTree(of: running.server.process)
            turn.report = try flood.checkedRun("\(running.name), \(name)")
            turn.after = try ProcessTree(of: running.server.process)
            try self.ask(running, try running.calls.addedChecks(from: first))
            return turn
        }
    }
}
