import Testing

@testable import RelationAdmission

/// Which apps have counters of their own.
struct CountedAppsTests {
    @Test func theFirstAppsThatCallHaveAGroupEachAndKeepIt() {
        let counted = CountedApps()
        counted.begin(atMost: 2)
        #expect(counted.groupCount == 3)
        let (first, second) = (counted.group(of: 9), counted.group(of: 4))
        #expect(Set([first, second]) == [2, 3])
        #expect(counted.group(of: 7) == CountedApps.otherGroup)
        #expect(counted.group(of: 8) == CountedApps.otherGroup)
        #expect(counted.group(of: 9) == first)
        #expect(counted.group(of: 4) == second)
        #expect(counted.all.map(\.app) == [4, 9])
        #expect(counted.all.map(\.group) == [second, first])
    }

    @Test func noAppIsCountedUnlessAServerSaysSo() {
        let counted = CountedApps()
        #expect(counted.groupCount == 0)
        #expect(counted.group(of: 1) == 0)
        counted.begin(atMost: 0)
        #expect(counted.group(of: 1) == 0)
        #expect(counted.all.isEmpty)
    }

    @Test func theMostAppsHaveAGroupEachAndTheNextSharesOne() {
        let counted = CountedApps()
        counted.begin(atMost: AdmissionLimits.countedApps)
        let groups = (1...UInt32(AdmissionLimits.countedApps)).map(counted.group(of:))
        #expect(Set(groups).count == AdmissionLimits.countedApps)
        #expect(!groups.contains(CountedApps.otherGroup))
        #expect(groups.max() == counted.groupCount)
        #expect(counted.group(of: 1_000_000) == CountedApps.otherGroup)
        #expect(counted.all.count == AdmissionLimits.countedApps)
    }
}
