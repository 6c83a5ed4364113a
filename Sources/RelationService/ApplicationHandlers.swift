import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

/// FriendApplicationService.
package enum ApplicationHandlers {
    package static func register(in router: Router) {
        router.write(ApplicationMethods.respondToApplications, respond)
        router.read(ApplicationMethods.listPendencies, list)
    }

    static func respond(
        _ request: RespondToApplicationsRequest, _ call: Call, _ faults: inout Violations
    ) -> Work<RespondToApplicationsResponse> {
        faults.count(request.items.count, "items", 1...Limits.respondItems)
        var items = ItemSorter<String, ApplicationRules.Answer>(
            duplicate: Reason.FriendResponse.duplicate)
        let limits = call.app.settings.limits
        for (place, item) in request.items.enumerated() {
            let field = "items[\(place)].response_type"
            guard let type = item.responseType else {
                faults.add(field, "must be given: its zero, AGREE, acts")
                continue
            }
            faults.known(type, field)
            guard let user = UserID(item.userID) else {
                items.refuse(Refusal(Reason.FriendResponse.userIDIllegal), for: item.userID)
                continue
            }
            guard limits.remark.allows(item.remark) else {
                items.refuse(Refusal(Reason.FriendResponse.remarkIllegal), for: item.userID)
                continue
            }
            guard limits.groupName.allows(item.group) else {
                items.refuse(Refusal(Reason.FriendResponse.groupIllegal), for: item.userID)
                continue
            }
            var answer = ApplicationRules.Answer(to: user, type)
            answer.remark = item.remark
            answer.group = item.group
            items.add(answer, for: item.userID)
        }
        let responder = call.user
        var work = Work<RespondToApplicationsResponse>.each(
            items.prepared, named: request.items.map(\.userID)
        ) { (answer, ledger) throws(StorageError) in
            try ApplicationRules.respond(answer, of: responder, in: ledger)
        }
        for case .value(let answer) in items.prepared {
            FriendRules.keysForAdding(
                answer.applicant, to: responder, app: call.app, into: &work.keys)
        }
        return work
    }

    static func list(
        _ request: ListPendenciesRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<ListPendenciesResponse> {
        faults.known(request.type, "type")
        let limit = Limits.pendenciesPerPage
        if !(0...limit).contains(Int(request.numPerPage)) {
            faults.add("num_per_page", "is \(request.numPerPage); 1 to \(limit), or 0 for \(limit)")
        }
        if request.seq < 0 { faults.add("seq", "is negative") }
        if request.timestampMs < 0 { faults.add("timestamp_ms", "is negative") }
        let type = request.type == .unspecified ? PendencyType.both : request.type
        let rows = request.numPerPage == 0 ? limit : max(1, min(limit, Int(request.numPerPage)))
        let (seq, timestamp) = (request.seq, request.timestampMs)
        return reading(call) { (head, transaction) throws(StorageError) in
            let page = try ApplicationRules.list(
                of: call.user, head, app: call.app, knowing: seq, from: timestamp, limit: rows,
                type, in: transaction)
            var response = ListPendenciesResponse()
            response.seq = page.sequence
            response.timestampMs = page.timestampMs
            response.unreadCount = Int32(page.unread)
            response.pendencies = page.items.map(Pendency.init)
            return response
        }
    }
}

extension Pendency {
    fileprivate init(_ item: ApplicationRules.Item) {
        self.init()
        userID = item.record.userID
        addTimeMs = item.record.timeMs
        source = item.record.source
        wording = item.record.wording
        nick = item.profile.nick ?? ""
        faceURL = item.profile.faceURL ?? ""
        type = item.type
        applicationID = item.record.applicationID
    }
}
