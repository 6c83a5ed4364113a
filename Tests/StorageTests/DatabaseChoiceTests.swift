import Storage
import Testing

/// The rule by which a new app gets its database, and the names of databases.
@Suite struct DatabaseChoiceTests {
    private typealias Candidate = DatabaseChoice.Candidate

    @Test func newAppsSpreadBeforeTheyHaveRows() {
        var candidates = ["c", "a", "b"].map { Candidate(name: $0, apps: 0, rows: 0) }
        var order: [String] = []
        for _ in 0..<6 {
            guard let name = DatabaseChoice.best(of: candidates),
                let index = candidates.firstIndex(where: { $0.name == name })
            else { break }
            candidates[index].apps += 1
            order.append(name)
        }
        #expect(order == ["a", "b", "c", "a", "b", "c"])
    }

    @Test func theDatabaseOfALargeAppGetsNoOther() {
        let candidates = [
            Candidate(name: "a", apps: 1, rows: 50_000_000),
            Candidate(name: "b", apps: 4_999, rows: 0),
        ]
        #expect(DatabaseChoice.best(of: candidates) == "b")
        #expect(DatabaseChoice.best(of: []) == nil)
    }

    @Test(arguments: [
        ("a", true), ("eu-2", true), (String(repeating: "a", count: 32), true), ("home", false),
        ("", false), ("2a", false), ("-a", false), ("A", false), ("a b", false), ("a'", false),
        (String(repeating: "a", count: 33), false), ("é", false),
    ]) func aNameIsShortAndPlain(_ name: String, _ isGood: Bool) {
        #expect(DirectoryDatabase.isName(name) == isGood)
    }
}
