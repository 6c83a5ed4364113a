import ArgumentParser
import Glibc
import RelationModel
import Testing

@testable import relationbench

/// Runs the scenarios against the real server; their speed does not matter here.
@Suite(.serialized) struct BenchTests {
    /// The program stands beside the tests' own.
    private static func executable() throws -> String {
        try Tool.ownPath().split(separator: "/").dropLast().map { "/" + $0 }.joined()
            + "/relationbench"
    }

    /// A folder with `text` as the file `graph`, for as long as `body` runs.
    private static func withGraph(_ text: String, _ body: (String) throws -> Void) throws {
        let folder = try Tool.makeFolder(in: "/tmp")
        defer { Tool.removeFolder(folder) }
        let file = open(folder + "/graph", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        let bytes = Array(text.utf8)
        try #require(write(file, bytes, bytes.count) == bytes.count)
        try body(folder)
    }

    /// A user with as many friends as the measured lists have, some of whom know each other.
    private static var smallGraph: String {
        let star = (1...BenchLimits.listedFriends).map { "0 \($0)" }
        let chain = (1...10).map { "\($0) \($0 + 1)" }
        return (["# a comment", ""] + star + chain).joined(separator: "\n")
    }

    @Test func everyScenarioIsAnsweredRightly() throws {
        var effort = Effort.quick
        effort.seconds = 0.1
        effort.loneWrites = 5
        effort.massedWrites = 100
        var lines: [String] = []
        try Self.withGraph(Self.smallGraph) { folder in
            try Bench(
                names: ScenarioName.allCases, effort: effort, seed: 1, graph: folder + "/graph",
                folder: folder, executable: Self.executable()
            ).run { lines.append($0) }
        }
        let rows = lines.filter { $0.hasPrefix("|") }
        let calls = 2 + ScenarioName.allCases.count { $0.scenario != nil }
        let streams = 2 + ScenarioName.allCases.count { $0.streams != nil }
        let neighbours = 2 + NeighbourBench.Disturbance.allCases.count
        let overload = 2 + 1
        #expect(rows.count == calls + streams + neighbours + overload)
        var rest = rows[...]
        for count in [calls, streams, neighbours, overload] {
            let table = rest.prefix(count)
            rest = rest.dropFirst(count)
            #expect(Set(table.map(\.count)).count == 1, "the columns are not aligned")
        }
        #expect(lines.contains("51 users, 60 friendships"))
    }

    @Test func growthIsMeasuredWithTheImportOfTheCommandLine() throws {
        var notes: [String] = []
        try Self.withGraph(Self.smallGraph) { folder in
            let program = try Self.executable()
            var options = try Growth.parse([
                "--quick", "--size", "180", "--size", "1", "--folder", folder, "--graph",
                folder + "/graph", "--importer",
                program.replacing("/relationbench", with: "/relationctl"),
            ])
            let figures = try GrowthBench(options, program: program).run { notes.append($0) }
            #expect(figures.sizes.map(\.friendships) == [60, 180])
            #expect(figures.sizes.map(\.users) == [51, 153])
            for size in figures.sizes {
                #expect(size.calls.map(\.name) == GrowthBench.calls)
                #expect(size.calls.allSatisfy { $0.own.cpuMicroseconds.median > 0 })
                #expect(size.imported.clientBytes > 1 << 20 && size.diskBytes > 0)
                #expect(size.startSeconds > 0 && size.usedBytes > 0)
            }
            #expect(figures.sizes[0].calls.allSatisfy { $0.smallest == nil })
            #expect(figures.sizes[1].calls.allSatisfy { $0.smallest != nil })

            options.importer = folder + "/none"
            #expect(throws: FloodError.self) {
                try GrowthBench(options, program: program).run { _ in }
            }
        }
        #expect(notes.first?.hasPrefix("needs up to ") == true)
    }

    @Test func aWrongAnswerIsSeen() throws {
        let server = try ServerProcess(Self.executable(), ["serve", "--fixed"])
        for (relation, failures) in [(FriendRelation.none, 10), (.bothWay, 0)] {
            let report = try Flood(
                port: server.port, path: "/relation.v1.FriendService/CheckFriends",
                requests: [try Calls.check("one", [("other", relation)])], calls: 10
            ).run()
            #expect(report.failures == failures, "\(report.firstFailure ?? "")")
        }
        try server.stop()
    }

    @Test(arguments: ["1 2 3", "1", "1 1", "1 2\n2 1", ""])
    func aGraphThatIsNoneIsRefused(text: String) throws {
        try Self.withGraph(text) { folder in
            #expect(throws: FloodError.self) { try SampleGraph(path: folder + "/graph") }
        }
    }

    @Test func theSameSeedMakesTheSameCalls() throws {
        try Self.withGraph(Self.smallGraph) { folder in
            let graph = try SampleGraph(path: folder + "/graph")
            let calls = try [7, 7, 8].map { seed in
                try Calls.checks(20, ids: 3, in: graph, seed: seed).map(\.message)
            }
            #expect(calls[0] == calls[1])
            #expect(calls[0] != calls[2])
        }
    }
}
