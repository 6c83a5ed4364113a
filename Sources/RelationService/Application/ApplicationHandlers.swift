import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The calls of FriendApplicationService.
package enum ApplicationHandlers {
    package static func register(in router: Router) {
        router.write(
            ApplicationMethods.respondToApplications, asking: .respondToApplications,
            subject: subject
        ) { request, call, judgement, violations in
            respondJudged(request, call, &violations, judgement)
        }
        router.read(ApplicationMethods.listPendencies, list)
        router.write(ApplicationMethods.deletePendencies, delete)
        router.write(ApplicationMethods.reportPendencies, report)
        router.read(ApplicationMethods.listApplications, listAll)
        router.write(ApplicationMethods.withdrawApplications, withdraw)
    }

    static func list(
        _ request: ListPendenciesRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListPendenciesResponse> {
        violations.known(request.pendencyType, "pendency_type")
        let limit = Limits.pendenciesPerPage
        if !(0...limit).contains(Int(request.numPerPage)) {
            violations.add(
                "num_per_page",
                "is \(request.numPerPage); it must be 1 to \(limit), or 0 for \(limit)")
        }
        if request.seq < 0 { violations.add("seq", "is negative") }
        if request.timestampMs < 0 { violations.add("timestamp_ms", "is negative") }
        let type =
            request.pendencyType == .unspecified ? PendencyType.both : request.pendencyType
        let rows = request.numPerPage == 0 ? limit : max(1, min(limit, Int(request.numPerPage)))
        let (seq, timestamp) = (request.seq, request.timestampMs)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            let page = try ApplicationRules.list(
                of: call.user, userRecord, at: call.now, app: call.app, knowing: seq,
                from: timestamp,
                limit: rows, type, in: transaction)
            var response = ListPendenciesResponse()
            response.seq = page.sequence
            response.timestampMs = page.timestampMs
            response.unreadCount = Int32(page.unread)
            response.pendencies = page.items.map(FriendApplication.init)
            return response
        }
    }

    static func delete(
        _ request: DeletePendenciesRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DeletePendenciesResponse> {
        let type = request.pendencyType
        if type.isKnown, type != .comeIn, type != .sendOut {
            violations.add(
                "pendency_type", "must be PENDENCY_TYPE_COME_IN or PENDENCY_TYPE_SEND_OUT")
        }
        violations.known(type, "pendency_type")
        violations.count(request.userIDs.count, "user_ids", 1...Limits.applicationItems)
        violations.count(
            request.applicationIDs.count, "application_ids", 0...Limits.applicationItems)
        let (owner, ids) = (call.user, request.applicationIDs)
        let items = request.userIDs.prepared(illegal: Reason.PendencyDelete.userIDIllegal)
        var work = Work<DeletePendenciesResponse>.each(items, named: request.userIDs) {
            (user, ledger) throws(StorageError) in
            try ApplicationRules.delete(
                type, with: user, of: owner, id: ids[user.text] ?? "", in: ledger)
        }
        ApplicationRules.keysForDeleting(
            type, with: items.values(), of: owner, app: call.app, into: &work.keys)
        return work
    }

    static func withdraw(
        _ request: WithdrawApplicationsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<WithdrawApplicationsResponse> {
        violations.count(request.userIDs.count, "user_ids", 1...Limits.applicationItems)
        violations.count(
            request.applicationIDs.count, "application_ids", 0...Limits.applicationItems)
        let (applicant, ids) = (call.user, request.applicationIDs)
        let items = request.userIDs.prepared(illegal: Reason.ApplicationWithdraw.userIDIllegal)
        var work = Work<WithdrawApplicationsResponse>.each(items, named: request.userIDs) {
            (user, ledger) throws(StorageError) in
            try ApplicationRules.withdraw(
                from: user, of: applicant, id: ids[user.text] ?? "", in: ledger)
        }
        ApplicationRules.keysForWithdrawing(
            from: items.values(), of: applicant, app: call.app, into: &work.keys)
        return work
    }

    static func report(
        _ request: ReportPendenciesRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<ReportPendenciesResponse> {
        let timestamp = request.timestampMs
        if timestamp <= 0 { violations.add("timestamp_ms", "must be given, and must be above 0") }
        let user = call.user
        var work = Work<ReportPendenciesResponse>(
            .one { (ledger) throws(StorageError) in
                let report = try ApplicationRules.report(upTo: timestamp, of: user, in: ledger)
                var response = ReportPendenciesResponse()
                response.unreadCount = Int32(report.unread)
                return .success(WriteResult(response: response, applied: report.changed))
            })
        ApplicationRules.keysForReporting(of: user, app: call.app, into: &work.keys)
        return work
    }

    static func listAll(
        _ request: ListApplicationsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListApplicationsResponse> {
        violations.known(request.pendencyType, "pendency_type")
        violations.known(request.direction, "direction")
        violations.count(request.statuses.count, "statuses", 0...Limits.applicationStatuses)
        for (index, status) in request.statuses.prefix(Limits.applicationStatuses).enumerated() {
            violations.known(status, "statuses[\(index)]")
        }
        var query = ApplicationRules.Query()
        query.type = request.pendencyType == .unspecified ? .both : request.pendencyType
        query.statuses = Set(request.statuses)
        query.isAscending = request.direction == .ascending
        // The same filter in another order is the same query.
        let statuses = query.statuses.map { "\($0.rawValue)" }.sorted().joined(separator: ",")
        let name =
            "ListApplications \(mark: call.app) \(call.user) \(query.type.rawValue) [\(statuses)] "
            + "\(query.isAscending)"
        let page = Page(request.pageSize, request.pageToken, of: name, &violations)
        return reading(call) { [query] (userRecord, transaction) throws(StorageError) in
            let answer = try ApplicationRules.lines(
                of: call.user, query, at: call.now, app: call.app,
                after: page.position.map(ApplicationRules.Position.init), limit: page.rows,
                in: transaction)
            var response = ListApplicationsResponse()
            var bytes = 0
            for line in answer.lines {
                let application = FriendApplication(line)
                bytes += application.bytesAtMost
                guard response.applications.isEmpty || bytes <= Limits.pageBytes else { break }
                response.applications.append(application)
            }
            let count = response.applications.count
            if count > 0, count < answer.remaining {
                let position = TimedUser(answer.lines[count - 1].position)
                response.nextPageToken = PageToken(position).text(of: name)
            }
            response.totalSize = Int32(answer.total)
            response.sequence = userRecord.pendenciesSequence
            response.unreadCount = Int32(
                try Applications.counts(
                    of: userRecord, call.user, call.app,
                    cutoff: call.app.settings.expiryCutoffMs(at: call.now), in: transaction
                ).unread)
            return response
        }
    }
}

// A token names a time and a user. The lowest bit of the time says which side an application shows.

extension TimedUser {
    fileprivate init(_ position: ApplicationRules.Position) {
        self.init(
            timeMs: position.timeMs << 1 | (position.type == .sendOut ? 1 : 0), user: position.user)
    }
}

extension ApplicationRules.Position {
    fileprivate init(_ position: TimedUser) {
        self.init(
            timeMs: position.timeMs >> 1, type: position.timeMs & 1 == 1 ? .sendOut : .comeIn,
            user: position.user)
    }
}

extension FriendApplication {
    fileprivate init(_ line: ApplicationRules.Line) {
        self.init()
        userID = line.record.userID
        applicationID = line.record.applicationID
        pendencyType = line.position.type
        status = line.status
        addTimeMs = line.record.timeMs
        operationTimeMs = line.position.timeMs
        source = line.record.source
        wording = line.record.wording
        nick = line.profile.nick ?? ""
        faceURL = line.profile.faceURL ?? ""
    }
}

extension FriendApplication {
    fileprivate init(_ item: ApplicationRules.Item) {
        self.init(waiting: item.record, item.type)
        nick = item.profile.nick ?? ""
        faceURL = item.profile.faceURL ?? ""
    }

    /// An application that waits, without the fields from the other user's profile.
    init(waiting record: PendencyRecord, _ type: PendencyType) {
        self.init()
        userID = record.userID
        applicationID = record.applicationID
        pendencyType = type
        status = .unhandled
        addTimeMs = record.timeMs
        operationTimeMs = record.timeMs
        source = record.source
        wording = record.wording
    }
}
