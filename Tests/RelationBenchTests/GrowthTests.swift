import Glibc
import RelationModel
import Testing

@testable import relationbench

/// Graphs of any size, and the figures of them.
@Suite struct GrowthTests {
    /// A folder for as long as `body` runs.
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try Tool.makeFolder(in: "/tmp")
        defer { Tool.removeFolder(folder) }
        try body(folder)
    }

    /// A small graph with users of different degrees.
    private static func base() -> SampleGraph { SampleGraph(ring: 40, friends: 6) }

    // MARK: Graphs

    @Test(arguments: [(1, 1), (119, 1), (180, 2), (1_000, 8), (1_020, 9)])
    func aGraphHasAsManyCopiesAsComeNearest(wanted: Int, copies: Int) {
        let graph = LiftedGraph(Self.base(), friendships: wanted, seed: 1)
        #expect(graph.copies == copies)
        #expect(graph.friendshipCount == 120 * copies)
        #expect(graph.userCount == 40 * copies)
    }

    @Test(arguments: [1, 2, 7])
    func everyUserHasTheFriendsOfItsModel(copies: Int) {
        let base = Self.base()
        let graph = LiftedGraph(base, friendships: 120 * copies, seed: 5)
        var counts = [Int](repeating: 0, count: graph.userCount)
        var pairs: Set<[Int]> = []
        for index in 0..<graph.friendshipCount {
            let (one, other) = graph.friendship(index)
            #expect(pairs.insert([min(one, other), max(one, other)]).inserted)
            #expect(graph.areFriends(one, other) && graph.areFriends(other, one))
            counts[one] += 1
            counts[other] += 1
        }
        for user in 0..<graph.userCount {
            let friends = graph.friends(of: user)
            #expect(counts[user] == base.friends[user % 40].count)
            #expect(Set(friends).count == counts[user])
            #expect(friends.allSatisfy { pairs.contains([min(user, $0), max(user, $0)]) })
        }
        #expect(Set((0..<graph.userCount).map(graph.id)).count == graph.userCount)
        let some = (0..<graph.userCount).map { [0, $0] }.filter { !pairs.contains($0) }
        #expect(some.allSatisfy { !graph.areFriends(0, $0[1]) })
    }

    @Test func copiesHangTogether() {
        let graph = LiftedGraph(Self.base(), friendships: 1_200, seed: 5)
        let crossing = (0..<graph.friendshipCount).count { index in
            let (one, other) = graph.friendship(index)
            return one / 40 != other / 40
        }
        // One in eight friendships leads elsewhere, by chance.
        #expect((1..<graph.friendshipCount / 3).contains(crossing))
    }

    @Test func aFileHasEachFriendshipOnceInAnyOrder() throws {
        try Self.withFolder { folder in
            var files: [[Substring]] = []
            for (seed, isMixed) in [(5, false), (5, false), (5, true), (6, false)] {
                let graph = LiftedGraph(Self.base(), friendships: 1_200, seed: UInt64(seed))
                var reported: [Int] = []
                try graph.write(to: folder + "/graph", isMixed: isMixed) { reported.append($0) }
                #expect(reported.count == GrowthLimits.progressParts && reported.last == 1_200)
                let text = try #require(readText(folder + "/graph"))
                files.append(text.split(separator: "\n"))
            }
            #expect(files[0].count == 1_200)
            #expect(files[0] == files[1])
            #expect(files[0] != files[2] && files[0].sorted() == files[2].sorted())
            #expect(files[0] != files[3])
            #expect(try SampleGraph(path: folder + "/graph").users.count == 400)
            #expect(try SampleGraph(path: folder + "/graph", lines: 7).friendships.count == 7)
        }
    }

    // MARK: Calls

    @Test func additionsAreOfUnrelatedUsersAndAreCheckedLater() throws {
        let graph = LiftedGraph(Self.base(), friendships: 240, seed: 1)
        let calls = GrowthCalls(graph, seed: 3)
        let first = try calls.additions(5)
        let more = try calls.additions(4)
        #expect(first.count == 5 && more.allSatisfy { $0.answer == nil })
        #expect(calls.added.allSatisfy { !graph.areFriends($0.0, $0.1) })
        let checks = try calls.addedChecks(from: 5)
        #expect(checks.count == 8)
        let (one, other) = calls.added[5]
        let same = try Calls.check(graph.id(of: one), [(graph.id(of: other), .bothWay)])
        #expect(checks[0].answer == same.answer && checks[0].message == same.message)
    }

    @Test func aGraphWhereAllAreFriendsTakesNoAddition() {
        let graph = LiftedGraph(SampleGraph(ring: 3, friends: 2), friendships: 3, seed: 1)
        #expect(throws: FloodError.self) { try GrowthCalls(graph, seed: 1).additions(1) }
    }

    @Test func eachUserIsVisitedOnce() throws {
        let graph = LiftedGraph(Self.base(), friendships: 240, seed: 1)
        let visits = try GrowthCalls(graph, seed: 3).visits(0..<graph.userCount)
        #expect(Set(visits.map(\.message)).count == graph.userCount)
    }

    // MARK: Options

    @Test(
        arguments: [
            ("88234", 88_234), ("5k", 5_000), ("20M", 20_000_000), ("1000M", 1_000_000_000),
            ("1001M", nil), ("0", nil), ("-1", nil), ("M", nil), ("", nil), ("5m", nil),
        ] as [(String, Int?)])
    func aSizeIsReadAsItIsWritten(text: String, count: Int?) {
        #expect(GraphSize(argument: text)?.count == count)
    }

    @Test(arguments: [(400, "400"), (88_234, "88.2 k"), (20_029_118, "20 M")])
    func aSizeIsPrintedShort(count: Int, text: String) {
        #expect(GraphSize.text(count) == text)
    }

    @Test func tooLittleRoomIsReportedBeforeAnythingIsWritten() throws {
        try Self.withFolder { folder in
            var lines: [String] = []
            try DiskSpace.require(1, at: folder + "/none/file") { lines.append($0) }
            #expect(lines.count == 1 && lines[0].hasPrefix("needs up to 1 MiB at \(folder)"))
            let error = #expect(throws: FloodError.self) {
                try DiskSpace.require(1 << 60, at: folder) { lines.append($0) }
            }
            #expect(error?.message.contains("MiB free") == true)
            #expect(lines.count == 2)
        }
        #expect(DiskSpace.graphs([10, 1_000]) > DiskSpace.graphs([10, 500]))
    }

    // MARK: Figures

    private static func size(_ friendships: Int, _ cpu: [Double], beside: [Double]?) -> SizeFigures
    {
        var size = SizeFigures(users: 10, friendships: friendships)
        size.settledBytes = 100 * friendships
        size.diskBytes = 120 * friendships
        size.startBytes = 1_000
        size.usedBytes = 1_000 + 41 * friendships
        size.imported.seconds = 2
        size.imported.clientBytes = 50 << 20
        for name in GrowthBench.calls {
            var own = ServerRounds(name: "own")
            own.cpuMicroseconds = Rounds(cpu)
            let smallest = beside.map { values in
                var rounds = ServerRounds(name: "smallest")
                rounds.cpuMicroseconds = Rounds(values)
                return rounds
            }
            size.calls.append((name, own, smallest))
        }
        return size
    }

    private static var figures: GrowthFigures {
        var figures = GrowthFigures()
        figures.sizes = [
            size(1_000, [10, 10, 10], beside: nil),
            // The second round was slow for both.
            size(120_000, [30, 90, 30], beside: [20, 60, 20]),
        ]
        return figures
    }

    @Test func growthIsThatWithinRounds() throws {
        let figures = Self.figures
        #expect(figures.sizes[0].ofSmallest(GrowthBench.check) == 1)
        #expect(figures.sizes[1].ofSmallest(GrowthBench.check) == 1.5)
        #expect(figures.sizes[1].ofSmallest("another") == nil)
        let rows = GrowthReport.lines(figures).filter { $0.hasPrefix("| ") }
        func row(_ title: String) -> String { rows.first { $0.hasPrefix("| \(title) ") } ?? "" }
        for target in GrowthTarget.all {
            #expect(row(target.title).contains("yes") || row(target.title).contains("no"))
        }
        #expect(row("\(GrowthBench.check), largest of smallest").contains("yes"))
        #expect(
            row("import of the largest, friendships/s").contains(" 100000 |    60000 |      no"))
        #expect(row("memory a friendship in use, bytes").contains(" 41 |      no"))
        #expect(row("disk a friendship, bytes").contains("yes"))
        #expect(figures.json.written().contains("\"ofSmallest\": 1.5"))
    }

    @Test func oneSizeDoesNotTellHowCostsGrow() {
        var figures = Self.figures
        figures.sizes.removeLast()
        #expect(GrowthTarget.all[0].value(figures) == nil)
        #expect(figures.growth(\.writtenPerFriendship) == nil)
    }

    @Test func thePictureHasABarForEachSize() {
        let svg = GrowthReport.svg(Self.figures)
        #expect(svg.hasSuffix("</svg>\n"))
        let groups = GrowthBench.calls.count + 4
        #expect(svg.split(separator: "<rect").count == 1 + 2 * groups)
        #expect(svg.contains(">120 k<") && svg.contains(">1 k<"))
    }
}
