import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The calls on reports of ModerationService.
enum ReportHandlers {
    static func register(in router: Router) {
        router.write(ModerationMethods.reportUser, report)
        router.read(ModerationMethods.listReports, list)
        router.write(ModerationMethods.resolveReports, resolve)
    }

    static func report(
        _ request: ReportUserRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<ReportUserResponse> {
        var items = FriendItemValidator<ExactText, Reports.Wanted>(
            duplicate: Reason.UserReport.userIDIllegal)
        items.add(for: ExactText(request.reportedUserID)) { () throws(FriendRefusal) in
            try wanted(request)
        }
        let reporter = call.user
        var work = Work<ReportUserResponse>.each(
            items.prepared,
            { (wanted, ledger) throws(StorageError) in
                try Reports.report(wanted, by: reporter, in: ledger)
            },
            answering: { outcomes in
                var response = ReportUserResponse()
                guard let outcome = outcomes.first else { return response }
                response.set(outcome.code, outcome.reason)
                return response
            })
        for wanted in items.prepared.values() {
            Reports.keysForReporting(
                wanted.reported, by: reporter, app: call.app, into: &work.keys)
        }
        return work
    }

    private static func wanted(
        _ request: ReportUserRequest
    ) throws(FriendRefusal) -> Reports.Wanted {
        guard let reported = UserID(request.reportedUserID) else {
            throw FriendRefusal(Reason.UserReport.userIDIllegal)
        }
        guard request.category != .unspecified, request.category.isKnown else {
            throw FriendRefusal(Reason.UserReport.categoryIllegal)
        }
        guard request.text.utf8.count <= Limits.reportTextBytes,
            request.reference.utf8.count <= Limits.reportReferenceBytes
        else { throw FriendRefusal(Reason.UserReport.textIllegal) }
        var wanted = Reports.Wanted(reported)
        wanted.category = request.category
        wanted.text = request.text
        wanted.reference = request.reference
        return wanted
    }

    static func list(
        _ request: ListReportsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListReportsResponse> {
        let reported =
            request.reportedUserID.isEmpty
            ? nil : violations.user(request.reportedUserID, "reported_user_id")
        for (time, field) in [
            (request.sinceTimeMs, "since_time_ms"), (request.untilTimeMs, "until_time_ms"),
        ] where time < 0 {
            violations.add(field, "is \(time); it must not be negative")
        }
        let query = "ListReports \(mark: call.app) \(request.reportedUserID)"
        let rows = Page.rows(request.pageSize, &violations)
        let cursor = PageToken.cursor(request.pageToken, of: query)
        if cursor?.count != 8, !request.pageToken.isEmpty { violations.pageToken() }
        let below = cursor?.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } ?? 0
        return Reading { (transaction) throws(StorageError) in
            let shown = try Reports.page(
                about: reported, below: below, limit: rows, app: call.app, in: transaction)
            var response = ListReportsResponse()
            response.reports = shown.rows.filter(request.wants).map(UserReport.init)
            if let next = shown.next {
                response.nextPageToken = PageToken.text(next.bytes, of: query)
            }
            if let reported {
                let userRecord = try Accounts.record(
                    of: reported, app: call.app, in: transaction)
                response.totalSize = Int32(clamping: userRecord?.reportCount ?? 0)
                response.openSize = Int32(clamping: userRecord?.openReportCount ?? 0)
            } else {
                let summary = try Reports.summary(of: call.app, in: transaction)
                response.totalSize = Int32(clamping: summary.count)
                response.openSize = Int32(clamping: summary.openCount)
            }
            return response
        }
    }

    /// A report to close, with its outcome.
    private struct Resolution: Equatable {
        let number: UInt64
        let outcome: ReportOutcome
        let note: String
    }

    static func resolve(
        _ request: ResolveReportsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<ResolveReportsResponse> {
        violations.count(request.items.count, "items", 1...Limits.reportItems)
        let names = request.items.map(\.reportID)
        var items = FriendItemValidator<ExactText, Resolution>(
            duplicate: Reason.ReportResolve.duplicate)
        for item in request.items {
            items.add(for: ExactText(item.reportID)) { () throws(FriendRefusal) in
                guard let number = Reports.number(of: item.reportID) else {
                    throw FriendRefusal(Reason.ReportResolve.idIllegal)
                }
                guard item.outcome != .unspecified, item.outcome.isKnown else {
                    throw FriendRefusal(Reason.ReportResolve.outcomeIllegal)
                }
                guard item.note.utf8.count <= Limits.reportNoteBytes else {
                    throw FriendRefusal(Reason.ReportResolve.noteIllegal)
                }
                return Resolution(number: number, outcome: item.outcome, note: item.note)
            }
        }
        var work = Work<ResolveReportsResponse>.each(
            items.prepared,
            { (resolution, ledger) throws(StorageError) in
                try Reports.resolve(
                    resolution.number, resolution.outcome, note: resolution.note, in: ledger)
            },
            answering: { outcomes in
                ResolveReportsResponse.with { response in
                    response.results = zip(names, outcomes).map(ResolveReportsResult.init)
                }
            })
        Reports.keysForResolving(
            items.prepared.values().map(\.number), app: call.app, into: &work.keys)
        return work
    }
}

extension ListReportsRequest {
    /// Whether the answer has the report.
    fileprivate func wants(_ record: ReportRecord) -> Bool {
        (!onlyOpen || record.isOpen) && record.reportTimeMs >= sinceTimeMs
            && (untilTimeMs == 0 || record.reportTimeMs < untilTimeMs)
    }
}

extension UserReport {
    init(_ record: ReportRecord) {
        self.init()
        reportID = record.reportID
        reportedUserID = record.reportedUserID
        reporterUserID = record.reporterUserID
        category = record.category
        text = record.text
        reference = record.reference
        count = record.count
        firstReportTimeMs = record.firstReportTimeMs
        reportTimeMs = record.reportTimeMs
        outcome = record.outcome
        note = record.note
        resolveTimeMs = record.resolveTimeMs
    }
}

extension ReportUserResponse: OutcomeMessage {}

extension ResolveReportsResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: FriendOutcome) {
        self.init()
        reportID = name.echoed()
        set(outcome)
    }
}
