import RelationAPI
import RelationModel
import RelationSuite

@testable import RelationCalls
@testable import RelationService

extension ServiceHistory {
    /// Suspends users or, more often, reinstates them.
    mutating func suspension() -> ServiceStep {
        guard number(3) == 0 else {
            var request = ReinstateAccountsRequest()
            request.userIDs = list { $0.other() }
            return ServiceStep(
                ModerationMethods.reinstateAccounts, request, ModerationHandlers.reinstate)
        }
        var request = SuspendAccountsRequest()
        request.endSessions = number(4) == 0
        request.items = list { history in
            var item = SuspensionItem()
            item.userID = history.other()
            item.level = SuspensionLevel(rawValue: Int32(history.number(5)))
            item.reasonText = history.text()
            // Some time after the beginning of the history, or never.
            item.endTimeMs =
                history.number(2) == 0 ? 0 : World.start + Int64(history.number(200_000))
            return item
        }
        return ServiceStep(
            ModerationMethods.suspendAccounts, request,
            { request, call, faults in
                ModerationHandlers.suspend(request, call, &faults) {}
            })
    }
}
