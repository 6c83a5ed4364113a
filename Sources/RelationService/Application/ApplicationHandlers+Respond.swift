import RelationAPI
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel

extension ApplicationHandlers {
    static func respond(
        _ request: RespondToApplicationsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RespondToApplicationsResponse> {
        respondJudged(request, call, &violations, .none)
    }

    /// The items of RespondToApplications, with the texts that a hook gives them.
    private static func items(
        _ request: RespondToApplicationsRequest, _ call: Call, _ violations: inout Violations,
        _ judgement: HookJudgement
    ) -> [ValidatedItem<ApplicationRules.Answer, FriendStatus>] {
        var items = FriendItemValidator<ExactText, ApplicationRules.Answer>(
            duplicate: Reason.FriendResponse.duplicate)
        let validator = FriendValuesValidator(.respond, call.app, isAdmin: call.isAdmin)
        for (index, item) in request.items.enumerated() {
            let field = "items[\(index)].response_type"
            guard let type = item.responseType else {
                violations.add(field, "must be given, because its zero value, AGREE, has an effect")
                continue
            }
            violations.known(type, field)
            items.add(for: ExactText(item.userID)) { () throws(FriendRefusal) in
                let user = try validator.user(item.userID)
                var answer = ApplicationRules.Answer(to: user, type)
                answer.isReviewed = !call.isAdmin
                answer.values.remark = judgement.text("remark", of: index, or: item.remark)
                answer.values.groups = item.group.isEmpty ? [] : [item.group]
                answer.values.groups? += item.groups
                answer.applicationID = item.applicationID
                try validator.check(
                    &answer.values, custom: judgement.custom(item.custom, of: index))
                return answer
            }
        }
        return items.prepared
    }

    /// The part of RespondToApplications that a hook is asked about.
    static func subject(
        _ request: RespondToApplicationsRequest, _ call: Call, _ judgement: HookJudgement
    ) -> HookSubject? {
        var violations = Violations()
        let items = items(request, call, &violations, judgement)
        return HookSubject(.respondToApplications, call, items.distinct()) { index in
            let answer = request.items[index]
            var item = HookAsk.Item(answer.userID)
            if case .value(let checked) = items[index] {
                item.texts = call.app.settings.texts(of: checked.values.custom, .friend)
            }
            item.texts["remark"] = answer.remark
            item.groups = (answer.group.isEmpty ? [] : [answer.group]) + answer.groups
            item.responseType = answer.responseType
            return item
        }
    }

    static func respondJudged(
        _ request: RespondToApplicationsRequest, _ call: Call, _ violations: inout Violations,
        _ judgement: HookJudgement
    ) -> Work<RespondToApplicationsResponse> {
        violations.count(request.items.count, "items", 1...Limits.respondItems)
        violations.count(
            request.items.reduce(0) { $0 + $1.groups.count }, "items.groups",
            0...Limits.groupMemberships)
        let items = items(request, call, &violations, judgement).judged(by: judgement)
        let responder = call.user
        var work = Work<RespondToApplicationsResponse>.each(
            items, named: request.items.map(\.userID)
        ) { (answer, ledger) throws(StorageError) in
            ledger.isResponse = true
            return try ApplicationRules.respond(answer, of: responder, in: ledger)
        }
        ApplicationRules.keysForResponding(
            items.values(), of: responder, app: call.app, into: &work.keys)
        return work.quoting(judgement)
    }
}
