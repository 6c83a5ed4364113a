import Testing

@testable import relationbench

/// The figures of a run beside peers, and what is written of them.
@Suite struct PeerFiguresTests {
    private static func server(_ name: String, _ values: [Double]) -> ServerRounds {
        var server = ServerRounds(name: name)
        server.cpuMicroseconds = Rounds(values)
        server.callsPerSecond = Rounds(values.map { 1e6 / $0 })
        return server
    }

    private static let stack = ShapeFigures(
        shape: PeerShape.all[0],
        servers: [
            server(PeerFigures.ours, [6, 12, 5]), server(PeerFigures.oursOpen, [5, 11, 5]),
            server("C", [2, 6, 2]), server("a<b & \"c\"", [400, 500, 450]),
        ])

    // MARK: Rounds

    @Test(
        arguments: [([], 0), ([3], 3), ([9, 1, 2], 2), ([4, 1, 3, 2], 2.5)]
            as [([Double], Double)])
    func theMedianIsTheMiddle(values: [Double], median: Double) {
        #expect(Rounds(values).median == median)
    }

    /// The second round was slow for both; a ratio of medians would be 3.
    @Test func ratiosAreThoseWithinRounds() {
        #expect(Self.stack.ratio(of: PeerFigures.ours, to: "C") == 2.5)
        #expect(Self.stack.ratio(of: "C", to: "C") == 1)
        #expect(Self.stack.ratio(of: PeerFigures.ours, to: "nothing") == nil)
    }

    @Test func theInstructionsOfAFurtherIDAreTheSlope() {
        var figures = InstructionFigures(name: "C", byIDs: [1: 1_000, 4: 1_500, 20: 2_900])
        #expect(figures.perFurtherID == 100)
        figures.byIDs = [1: 1_000]
        #expect(figures.perFurtherID == nil)
    }

    // MARK: Disturbances

    private static func stat(_ busy: Int, _ stolen: Int, _ idle: Int) -> String {
        """
        cpu  9 9 9 9 9 9 9 9 0 0
        cpu0 \(busy) 0 0 \(idle) 0 0 0 \(stolen) 0 0
        cpu1 0 0 0 100 0 0 0 0 0 0
        cpu10 7 7 7 7 7 7 7 7 0 0
        intr 1 2 3
        """
    }

    @Test func theTimeOfProcessorsIsReadFromTheKernelsText() {
        let time = ProcessorTime(of: [0, 1], stat: Self.stat(30, 20, 50), ticksPerSecond: 10)
        #expect(time.busy == 3)
        #expect(time.stolen == 2)
        #expect(time.total == 20)
        #expect(ProcessorTime(of: [0], stat: "", ticksPerSecond: 100).total == 0)
    }

    @Test(arguments: [
        (busy: 1_000, stolen: 0, ours: 10.0, reasons: 0),
        (busy: 1_000, stolen: 10, ours: 10.0, reasons: 0),
        (busy: 1_000, stolen: 30, ours: 10.0, reasons: 1),
        (busy: 1_050, stolen: 0, ours: 10.0, reasons: 0),
        (busy: 1_080, stolen: 0, ours: 10.0, reasons: 1),
        (busy: 1_080, stolen: 30, ours: 10.0, reasons: 2),
        (busy: 900, stolen: 0, ours: 10.0, reasons: 0),
    ])
    func theWorkOfOthersIsSeen(busy: Int, stolen: Int, ours: Double, reasons: Int) {
        // Twenty seconds of two processors, of which a hundredth may be stolen.
        let stat = Self.stat(busy, stolen, 2_000 - busy - stolen)
        let before = ProcessorTime(of: [0], stat: Self.stat(0, 0, 0), ticksPerSecond: 100)
        let after = ProcessorTime(of: [0], stat: stat, ticksPerSecond: 100)
        let disturbance = Disturbance(from: before, to: after, ours: ours)
        #expect(disturbance.reasons.count == reasons, "\(disturbance)")
    }

    @Test func noTimeHasNoDisturbance() {
        let time = ProcessorTime(of: [0], stat: "", ticksPerSecond: 100)
        #expect(Disturbance(from: time, to: time, ours: 1).reasons.isEmpty)
    }

    @Test func roundsThatDifferMuchAreSeen() {
        let most = 10 * (1 + PeerBenchLimits.spread)
        #expect(Disturbance.reason(ofRounds: [10, 10, most]) == nil)
        #expect(Disturbance.reason(ofRounds: [10, 10, most + 0.1]) != nil)
        #expect(Disturbance.reason(ofRounds: []) == nil)
    }

    // MARK: Tables

    @Test func aRunSaysThatItWasDisturbedAndHowOften() {
        var figures = PeerFigures()
        #expect(PeerReport.lines(figures).last == "The run was quiet.")
        let count = PeerBenchLimits.listedDisturbances + 3
        figures.disturbances = (1...count).map { "reason \($0)" }
        let lines = PeerReport.lines(figures)
        #expect(lines.contains("THE RUN WAS DISTURBED:"))
        #expect(lines.count { $0.hasPrefix("- reason") } == PeerBenchLimits.listedDisturbances)
        #expect(lines.last == "- and 3 more")
    }

    @Test func everyTargetHasARowAndSaysWhetherItIsReached() throws {
        var figures = PeerFigures()
        figures.shapes = [Self.stack]
        figures.instructions = [
            InstructionFigures(name: PeerFigures.ours, byIDs: [1: 20_000, 20: 20_000 + 19 * 701])
        ]
        figures.idle = [(PeerFigures.ours, 20.5)]
        let rows = PeerReport.lines(figures).filter { $0.hasPrefix("| ") }
        for target in PeerTarget.all {
            #expect(rows.contains { $0.hasPrefix("| \(target.title) ") }, "\(target.title)")
        }
        func row(_ title: String) -> [Substring] {
            rows.first { $0.hasPrefix("| \(title) ") }?.split(separator: "|") ?? []
        }
        #expect(row("1 id, instructions").last?.contains("yes") == true)
        #expect(row("each further id, instructions").last?.contains("no") == true)
        #expect(row("1 id, 4 × 50, of C").last?.contains("no") == true)
        #expect(row("1 id, 100 × 1, of C").last?.contains("-") == true)
        #expect(row("idle connection, KiB").last?.contains("no") == true)
    }

    @Test func aBoundIsReachedAtItsValue() throws {
        let most = try #require(PeerTarget.all.first { !$0.isLeast })
        #expect(most.isReached(most.bound) && !most.isReached(most.bound * 1.01))
        let least = try #require(PeerTarget.all.first { $0.isLeast })
        #expect(least.isReached(least.bound) && !least.isReached(least.bound * 0.99))
    }

    @Test func ratiosBesideLongReadsAreThoseToAlone() {
        let figures = ReadFigures(
            build: "ours",
            p50Microseconds: [
                (PeerBench.nothing, Rounds([50, 100])), ("a", Rounds([100, 300])),
                ("b", Rounds([50, 50])),
            ])
        #expect(figures.ratio(beside: "a") == 2.5)
        #expect(figures.worstRatio == 2.5)
        #expect(figures.ratio(beside: "c") == 0)
    }

    // MARK: Files

    @Test func textsAndNumbersAreJSON() {
        let value: ReportObject = [
            "a\"\\": "line\n\u{1}é", "b": [1.0, 0.12349], "c": Double.infinity, "d": Int?.none,
            "e": true, "f": [String](),
        ]
        #expect(
            value.written() == """
                {
                  "a\\"\\\\": "line\\n\\u0001é",
                  "b": [
                    1,
                    0.123
                  ],
                  "c": null,
                  "d": null,
                  "e": true,
                  "f": []
                }
                """)
    }

    @Test func thePictureIsWellFormed() throws {
        let svg = PeerPlot([Self.stack]).svg
        #expect(svg.contains(">a&lt;b &amp; &quot;c&quot;<"))
        #expect(!svg.contains(">\(PeerFigures.oursOpen)<"))
        // Every element that begins also ends, in the opposite order.
        var open: [Substring] = []
        for part in svg.split(separator: "<").map({ $0.prefix { $0 != ">" } }) {
            let name = part.prefix { $0.isLetter }
            if part.first == "/" {
                #expect(open.popLast() == part.dropFirst())
            } else if part.last != "/" {
                open.append(name)
            }
            #expect(part.count { $0 == "\"" }.isMultiple(of: 2), "\(part)")
        }
        #expect(open.isEmpty)
    }

    @Test func aBarThatIsFarLongerIsCut() {
        let svg = PeerPlot([Self.stack]).svg
        #expect(svg.contains("<path "))
        var shape = Self.stack
        shape.servers.removeLast()
        #expect(!PeerPlot([shape]).svg.contains("<path "))
        #expect(PeerPlot([]).svg.hasSuffix("</svg>\n"))
    }

    @Test func loadsThatHaveNoPlaceAreLeftOut() {
        let left = ShapeFigures(
            shape: PeerShape(ids: 7, load: Load()), servers: Self.stack.servers)
        #expect(!PeerPlot([left]).svg.contains("<rect"))
    }
}
