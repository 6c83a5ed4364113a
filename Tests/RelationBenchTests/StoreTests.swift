import Glibc
import RelationModel
import Testing

@testable import relationbench

/// The load and the figures of the measurements beside stores.
@Suite(.serialized) struct StoreTests {
    // MARK: Commands

    @Test func commandsHaveTheirLengths() {
        #expect(
            RedisCommand.bytes(["SMISMEMBER", "friends:é", ""])
                == Array("*3\r\n$10\r\nSMISMEMBER\r\n$10\r\nfriends:é\r\n$0\r\n\r\n".utf8))
        #expect(RedisCommand.numbers([1, 0]) == Array("*2\r\n:1\r\n:0\r\n".utf8))
        #expect(RedisCommand.text("1") == Array("$1\r\n1\r\n".utf8))
    }

    /// A server that sends back in small parts whatever comes, but a `?` for each `!`.
    private static func echo() throws -> ServerProcess {
        let script = """
            import socket, threading
            server = socket.create_server(("127.0.0.1", 0))
            print("listening on 127.0.0.1:%d" % server.getsockname()[1], flush=True)
            def serve(peer):
                while data := peer.recv(1 << 16):
                    data = data.replace(b"!", b"?")
                    for place in range(0, len(data), 7):
                        peer.sendall(data[place:place + 7])
            while True:
                peer = server.accept()[0]
                threading.Thread(target=serve, args=(peer,), daemon=True).start()
            """
        return try ServerProcess("/usr/bin/env", ["python3", "-c", script])
    }

    private static func request(_ text: String) -> PipelineFlood.Request {
        PipelineFlood.Request(command: Array(text.utf8), answer: Array(text.utf8))
    }

    @Test func everyAnswerOfAPipelineIsCounted() throws {
        let server = try Self.echo()
        let report = try PipelineFlood(
            port: server.port,
            requests: ["a", String(repeating: "long", count: 5_000), "bcd"].map(Self.request),
            load: Load(connections: 3, streams: 7), calls: 300
        ).run()
        #expect(report.calls == 300)
        #expect(report.p50 > .zero && report.p50 <= report.p99 && report.p99 <= report.highest)
        try server.stop(bySignal: true)
    }

    @Test func aPipelineEndsWhenItsTimeIsOver() throws {
        let server = try Self.echo()
        let report = try PipelineFlood(
            port: server.port, requests: [Self.request("again and again")], seconds: 0.05
        ).run()
        #expect(report.calls > 0)
        #expect(report.seconds >= 0.05)
        try server.stop(bySignal: true)
    }

    @Test func anotherAnswerEndsAPipeline() throws {
        let server = try Self.echo()
        let error = #expect(throws: FloodError.self) {
            try PipelineFlood(
                port: server.port, requests: ["right", "wrong!"].map(Self.request), calls: 10
            ).run()
        }
        #expect(error?.message.contains("not the expected one") == true)
        try server.stop(bySignal: true)
    }

    // MARK: Graphs

    @Test func everyUserOfARingHasAsManyFriends() {
        let graph = SampleGraph(ring: 9, friends: 4)
        #expect(graph.users.count == 9)
        #expect(graph.friendships.count == 18)
        for user in graph.users.indices {
            #expect(Set(graph.friends[user]).count == 4)
            #expect(graph.friends[user].allSatisfy { graph.areFriends(user, $0) })
        }
        #expect(graph.areFriends(0, 8) && graph.areFriends(7, 0))
        #expect(!graph.areFriends(0, 3))
    }

    @Test func aLookUpAsksForTheFriendsThatACheckAsksFor() throws {
        let graph = SampleGraph(ring: 9, friends: 2)
        let question = Question(graph: graph, owner: 4, others: [3, 6, 5])
        let lookup = question.lookup
        #expect(lookup.command == RedisCommand.bytes(["SMISMEMBER", "friends:4", "3", "6", "5"]))
        #expect(lookup.answer == RedisCommand.numbers([1, 0, 1]))
        let check = try Calls.check(question)
        let same = try Calls.check("4", [("3", .bothWay), ("6", .none), ("5", .bothWay)])
        #expect(check.message == same.message && check.answer == same.answer)
        #expect(
            graph.sets[4].command
                == RedisCommand.bytes(["SADD", "friends:4", "3", "5"]))
    }

    // MARK: Turns

    /// The turns of servers that need no time, but use some of the processor.
    @Test func eachRoundBeginsWithAnotherServer() throws {
        var effort = PeerEffort.quick
        effort.rounds = 3
        var turns = Turns(effort: effort, title: "turns")
        var order: [String] = []
        for (name, seconds) in [("a", 0.5), ("b", 0.25)] {
            turns.add(name) { _ in
                order.append(name)
                var turn = Turns.Turn()
                turn.report.calls = 1_000_000
                turn.after.cpuSeconds = seconds
                turn.after.writtenBytes = 3_000_000
                return turn
            }
        }
        let rounds = try turns.measure()
        #expect(order == ["a", "b", "a", "b", "b", "a", "a", "b"])
        #expect(rounds.map(\.name) == ["a", "b"])
        #expect(rounds[0].cpuMicroseconds.values == [0.5, 0.5, 0.5])
        #expect(rounds[1].cpuMicroseconds.median == 0.25)
        #expect(rounds[1].writtenBytes.median == 3)
    }

    /// Otherwise a slow server would be asked for friends that it was never asked to add.
    @Test func aLoadWithANumberOfCallsIsNotCutShort() throws {
        var effort = PeerEffort.quick
        (effort.seconds, effort.warmUpSeconds) = (0, 0)
        let server = try Self.echo()
        var turns = Turns(effort: effort, title: "turns")
        var sent = 0
        turns.add("echo", server) {
            sent += 1
            return PipelineFlood(
                port: server.port, requests: [Self.request("\(sent)")], calls: 5_000)
        }
        let rounds = try turns.measure()
        #expect(sent == 2)
        let rate = try #require(rounds.first?.callsPerSecond.median)
        #expect(rate > 0)
        try server.stop(bySignal: true)
    }

    // MARK: Processes

    @Test func theTimeOfAProcessHoldsThatOfItsChildren() throws {
        // The shell waits for a child that has worked, and then has one that sleeps.
        let server = try ServerProcess(
            "/bin/sh",
            [
                "-c",
                "python3 -c 'sum(range(10_000_000))'; sleep 60 & "
                    + "trap \"kill $!; exit 0\" TERM; echo listening on 127.0.0.1:1; wait",
            ])
        let tree = try ProcessTree(of: server.process)
        #expect(tree.children == 1)
        let own = try server.usage().cpuSeconds
        #expect(tree.cpuSeconds >= own + 0.05)
        try server.stop()
        #expect(throws: FloodError.self) { try ProcessTree(of: server.process) }
    }

    @Test func theLinesOfAProgramAreRead() throws {
        #expect(
            try Tool.lines("/bin/sh", ["-c", "echo one; echo; echo two"]) == ["one", "", "two"])
        #expect(throws: FloodError.self) { try Tool.lines("/bin/sh", ["-c", "exit 1"]) }
        let error = #expect(throws: FloodError.self) {
            try Tool.lines("/bin/sleep", ["60"], seconds: 0.05)
        }
        #expect(error?.message.contains("does not end") == true)
    }

    @Test func aServerThatNeverListensIsAnError() {
        var tries = 0
        let error = #expect(throws: FloodError.self) {
            try QuietServer.retry(0) { () throws(FloodError) in
                tries += 1
                throw FloodError("closed")
            }
        }
        #expect(error?.message == "closed")
        #expect(tries == 1)
    }

    // MARK: Figures

    private static func server(
        _ name: String, _ cpu: [Double], rates: [Double] = []
    ) -> ServerRounds {
        var server = ServerRounds(name: name)
        server.cpuMicroseconds = Rounds(cpu)
        server.callsPerSecond = Rounds(rates)
        return server
    }

    @Test func aReadIsComparedWithFixedRowsWithinRounds() throws {
        var figures = CheckFigures(
            read: .checks(20), builds: [Self.server("ours", [8, 32, 10])])
        #expect(figures.ofFixed == nil)
        figures.fixed = Self.server("fixed", [4, 16, 4])
        #expect(figures.ofFixed == 2)
        #expect(figures.pairsPerSecond == 2_000_000)
        #expect(CheckFigures(read: .mutual).pairsPerSecond == nil)
    }

    @Test func boundsOfStoresFindTheirFigures() throws {
        var figures = PeerFigures()
        var check = CheckFigures(
            read: .checks(1_000), builds: [Self.server(PeerFigures.ours, [200])])
        check.fixed = Self.server("fixed", [100])
        figures.checks = [check]
        let shape = PeerShape(ids: 20, load: .reads)
        figures.lookups = [
            ShapeFigures(
                shape: shape,
                servers: [
                    Self.server(PeerFigures.ours, [3]), Self.server(PeerBench.redis, [2]),
                ])
        ]
        figures.writes = [
            WriteFigures(
                title: PeerBench.massed,
                servers: [
                    Self.server(PeerFigures.ours, [45], rates: [8_000]),
                    Self.server(PeerBench.postgres, [300], rates: [2_000]),
                ])
        ]
        let values = Dictionary(
            uniqueKeysWithValues: PeerTarget.all.map { ($0.title, $0.value(figures)) })
        #expect(values["pairs/s of CPU, in calls of 1000"] == 5_000_000)
        #expect(values["CheckFriends of 20, of Redis"] == 1.5)
        #expect(values["AddFriends, 64 in flight, µs CPU"] == 45)
        #expect(values["the same, adds/s of PostgreSQL"] == 4)
        #expect(values["the same, adds/s of Redis, always synced"] == .some(nil))
        let lines = PeerReport.lines(figures)
        for title in ["CheckFriends of 1000", "20 ids, 4 × 50", PeerBench.massed] {
            #expect(lines.contains { $0.hasPrefix("| \(title) ") }, "\(title)")
        }
    }
}
