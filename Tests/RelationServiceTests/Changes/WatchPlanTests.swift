import RelationAdmission
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationChanges

/// The kinds of events that a stream gets.
@Suite struct WatchPlanTests {
    private func plan(_ scope: WatchPlan.Scope, _ kinds: [ChangeKind]) -> WatchPlan {
        WatchPlan(
            Caller(app: App(id: 7, settings: .tim)), scope: scope, kinds: kinds, deviceID: "",
            heartbeatMs: 0)
    }

    /// Kinds of this version, and kinds that a later one may have written.
    private static let kinds =
        (0...70).map { ChangeKind(rawValue: Int32($0)) } + [
            ChangeKind(rawValue: .max), ChangeKind(rawValue: -1),
        ]

    @Test(arguments: kinds)
    func aStreamOfUsersWithoutKindsWantsEach(kind: ChangeKind) {
        #expect(plan(.users(["A"]), []).wants(kind))
        // It ends with its account.
        #expect(plan(.user("A"), []).wants(kind) == (kind != .accountDeleted))
    }

    @Test(arguments: kinds)
    func aStreamWithKindsWantsThese(kind: ChangeKind) {
        let wanted: [ChangeKind] = [.addFriend, ChangeKind(rawValue: 63), ChangeKind(rawValue: 64)]
        #expect(plan(.users(["A"]), wanted).wants(kind) == wanted.contains(kind))
    }

    @Test(arguments: kinds)
    func aStreamOfAClientAppWantsConsentsAlone(kind: ChangeKind) {
        let scope = WatchPlan.Scope.app(ClientAppID("app"))
        #expect(plan(scope, []).wants(kind) == (kind == .consentChanged))
    }

    /// A reported user must not learn of it, whoever follows it for the user.
    @Test(arguments: [ChangeKind.userReported, .reportResolved, .riskMarked])
    func onlyAStreamOfTheAppGetsReportsAndRisks(kind: ChangeKind) {
        #expect(plan(.app(nil), []).wants(kind) && plan(.app(nil), [kind]).wants(kind))
        #expect(!plan(.app(nil), [.addFriend]).wants(kind))
        for scope in [WatchPlan.Scope.user("A"), .users(["A"]), .app(ClientAppID("app"))] {
            #expect(!plan(scope, []).wants(kind) && !plan(scope, [kind]).wants(kind))
        }
    }
}
