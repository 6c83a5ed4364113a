import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The calls on reviews of ModerationService.
enum ReviewHandlers {
    static func register(in router: Router) {
        router.read(ModerationMethods.listReviews, list)
        router.write(ModerationMethods.decideReviews, decide)
    }

    static func list(
        _ request: ListReviewsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListReviewsResponse> {
        let user =
            request.reviewedUserID.isEmpty
            ? nil : violations.user(request.reviewedUserID, "reviewed_user_id")
        violations.known(request.state, "state")
        if !request.field.isEmpty, !ReviewedPaths.allows(request.field),
            !ReviewedPaths.allowsOfFriend(request.field)
        {
            violations.add("field", "is not a field whose values are reviewed")
        }
        let query = "ListReviews \(mark: call.app) \(request.reviewedUserID)"
        let rows = Page.rows(request.pageSize, &violations)
        let cursor = PageToken.cursor(request.pageToken, of: query)
        if cursor?.count != 8, !request.pageToken.isEmpty { violations.pageToken() }
        let after = cursor?.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } ?? 0
        return Reading { (transaction) throws(StorageError) in
            let shown = try Reviews.page(
                of: user, after: after, limit: rows,
                rowsPerRead: RowSizes(call.app.settings).reviewedRowsPerRead, app: call.app,
                in: transaction)
            var response = ListReviewsResponse()
            response.reviews = shown.rows.filter(request.wants).map(ProfileReview.init)
            if let next = shown.next {
                response.nextPageToken = PageToken.text(next.bytes, of: query)
            }
            if let user {
                let count = try Reviews.count(of: user, app: call.app, in: transaction)
                response.totalSize = Int32(clamping: count)
            } else {
                let summary = try Reviews.summary(of: call.app, in: transaction)
                response.totalSize = Int32(clamping: summary.count)
            }
            return response
        }
    }

    static func decide(
        _ request: DecideReviewsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DecideReviewsResponse> {
        violations.count(request.items.count, "items", 1...Limits.reviewItems)
        let names = request.items.map(\.reviewID)
        var items = FriendItemValidator<ExactText, Reviews.Verdict>(
            duplicate: Reason.ReviewDecide.duplicate)
        for item in request.items {
            items.add(for: ExactText(item.reviewID)) { () throws(FriendRefusal) in
                guard let number = ReviewRecord.number(of: item.reviewID) else {
                    throw FriendRefusal(Reason.ReviewDecide.idIllegal)
                }
                guard item.decision == .approved || item.decision == .rejected else {
                    throw FriendRefusal(Reason.ReviewDecide.decisionIllegal)
                }
                guard item.reasonCode >= 0,
                    item.reasonText.utf8.count <= Limits.reviewReasonBytes
                else { throw FriendRefusal(Reason.ReviewDecide.reasonIllegal) }
                var verdict = Reviews.Verdict(number, isApproved: item.decision == .approved)
                verdict.reasonCode = item.reasonCode
                verdict.reasonText = item.reasonText
                return verdict
            }
        }
        var work = Work<DecideReviewsResponse>.each(
            items.prepared,
            { (verdict, ledger) throws(StorageError) in try Reviews.decide(verdict, in: ledger) },
            answering: { outcomes in
                DecideReviewsResponse.with { response in
                    response.results = zip(names, outcomes).map(DecideReviewsResult.init)
                }
            })
        Reviews.keysForDeciding(
            items.prepared.values().map(\.number), app: call.app, into: &work.keys)
        return work
    }
}

extension ListReviewsRequest {
    /// Whether the answer has the review.
    fileprivate func wants(_ record: ReviewRecord) -> Bool {
        (state == .unspecified || record.state == state)
            && (field.isEmpty || record.field.isExactly(field))
    }
}

extension ProfileReview {
    init(_ record: ReviewRecord) {
        self.init()
        reviewID = record.reviewID
        userID = record.userID
        field = record.field
        state = record.state
        text = record.text
        data = record.data
        formerText = record.formerText
        formerData = record.formerData
        writeTimeMs = record.writeTimeMs
        decision = record.decision
        reasonCode = record.reasonCode
        reasonText = record.reasonText
        friendUserID = record.friendUserID
    }
}

extension DecideReviewsResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: FriendOutcome) {
        self.init()
        reviewID = name.echoed()
        set(outcome)
    }
}
