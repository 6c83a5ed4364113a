import Testing

/// Code that runs under one seed takes neither time nor chance from the machine.
@Suite struct ChanceRuleTests {
    @Test func eachSourceOfTimeAndChanceIsKnown() throws {
        let files = try SourceTree.everything.get()
        let targets = Set(files.compactMap(\.target))
        #expect(ChanceRules.targets.isSubset(of: targets))
        let findings = files.flatMap(ChanceRules.findings)
        #expect(findings.isEmpty, "\(findings.text)")
    }

    @Test func eachKnownSourceIsStillThere() throws {
        let files = try SourceTree.everything.get()
        #expect(Set(ChanceRules.known.keys).isSubset(of: Set(files.map(\.path))))
        for file in files { #expect(ChanceRules.outdated(in: file) == [], "\(file.path)") }
    }

    @Test(arguments: [
        ("let now = SystemClock.boot.nanoseconds", 1), ("// SystemClock.boot", 0),
        ("let id = UInt64.random(in: 1...6)", 1),
        ("let id = UInt64.random(in: 1...6, using: &numbers)", 0),
        ("log(\"Date()\")", 0), ("usleep(5)", 1), ("let clock = clock()", 0),
        ("clock: @escaping () -> UInt64 = { Deadline.clock }", 0), ("let now = Deadline.clock", 1),
        ("let list = users.shuffled()", 1), ("users.shuffle()", 1),
        ("users.shuffle(using: &numbers)", 0), ("let isFirst = Bool.random()", 1),
        ("try await Task.sleep(for: .seconds(1))", 1),
    ])
    func aSourceIsFound(_ text: String, _ count: Int) {
        for (folder, expected) in [("RelationRuntime", count), ("relationctl", 0)] {
            let file = SourceFile(path: "Sources/\(folder)/A.swift", text: text)
            #expect(ChanceRules.findings(in: file).count == expected)
        }
    }

    @Test func aKnownSourceCoversNoOther() {
        let path = "Sources/Storage/Peers/Lease.swift"
        let known = SourceFile(
            path: path, text: "    package static var nanoseconds: UInt64 { SystemClock.boot.now }")
        #expect(ChanceRules.findings(in: known).isEmpty && ChanceRules.outdated(in: known).isEmpty)
        let other = SourceFile(path: path, text: "    let began = SystemClock.boot.nanoseconds")
        #expect(ChanceRules.findings(in: other).count == 1)
        #expect(ChanceRules.outdated(in: other) == ["package static var nanoseconds"])
    }
}
