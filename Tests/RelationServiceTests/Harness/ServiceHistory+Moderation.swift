import RelationAPI
import RelationModel
import RelationSuite

@testable import RelationCalls
@testable import RelationService

extension ServiceHistory {
    /// Reports a user or closes reports, decides reviews, or suspends or reinstates users.
    mutating func moderation() -> ServiceStep {
        switch number(6) {
        case 0:
            var request = ReportUserRequest()
            request.userID = actor()
            request.reportedUserID = other()
            request.category = ReportCategory(rawValue: Int32(number(8)))
            request.text = text()
            return ServiceStep(ModerationMethods.reportUser, request, ReportHandlers.report)
        case 1:
            var request = ResolveReportsRequest()
            request.items = list { history in
                var item = ReportResolution()
                item.reportID = "\(history.number(5))"
                // Mostly one that there is: an item without an outcome refuses the whole call.
                let outcome = history.number(13)
                item.outcome = ReportOutcome(rawValue: Int32(outcome == 0 ? 0 : 1 + outcome % 4))
                item.note = history.text()
                return item
            }
            return ServiceStep(ModerationMethods.resolveReports, request, ReportHandlers.resolve)
        case 4, 5:
            var request = DecideReviewsRequest()
            request.items = list { history in
                var item = ReviewVerdict()
                item.reviewID = "\(history.number(7))"
                item.decision = ReviewDecision(rawValue: Int32(history.number(3)))
                item.reasonText = history.text()
                return item
            }
            return ServiceStep(ModerationMethods.decideReviews, request, ReviewHandlers.decide)
        default: return suspension()
        }
    }

    /// Takes changes of relations back.
    mutating func undo() -> ServiceStep {
        var request = UndoChangesRequest()
        if number(3) == 0 {
            if number(2) == 0 { request.caller = .administrator }
            request.sinceTimeMs = 1
            request.maxEntries = Int32(number(20))
            return ServiceStep(MaintenanceMethods.undoChanges, request, HistoryHandlers.undo)
        }
        let last = number(150)
        request.positions = (0..<20).map { Int64(last - $0) }
        return ServiceStep(MaintenanceMethods.undoChanges, request, HistoryHandlers.undo)
    }

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
            { request, call, violations in
                ModerationHandlers.suspend(request, call, &violations) {}
            })
    }
}
