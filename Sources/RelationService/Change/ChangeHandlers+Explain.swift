import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

extension ChangeHandlers {
    static func explainEvent(
        _ request: ExplainEventRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ExplainEventResponse> {
        let viewer = violations.user(request.fromUserID, "from_user_id")
        let user = UserID(request.toUserID)
        let (sequence, kind) = (request.sequence, request.kind)
        if sequence < 0 { violations.add("sequence", "must be 1 or more if it is given") }
        violations.known(kind, "kind")
        if (sequence == 0) == (kind == .unspecified) {
            violations.add("sequence", "this field or kind must be given, and not both")
        }
        let asked: WatchedEvents.Asked = sequence == 0 ? .kind(kind) : .sequence(sequence)
        return Reading { (transaction) throws(StorageError) in
            guard let viewer else { return nil }
            let explained = try WatchedEvents.explain(
                asked, of: user, to: viewer, at: call.now, app: call.app, in: transaction)
            var response = ExplainEventResponse()
            response.set(explained.outcome.code, explained.outcome.reason)
            response.comes = explained.comes
            response.kind = explained.kind
            response.rungs = explained.rungs.map { Rung($0) }
            response.fields = explained.fields.map { ExplainedField($0) }
            response.appVersion = explained.appVersion
            return response
        }
    }
}

extension ExplainEventResponse: OutcomeMessage {}
