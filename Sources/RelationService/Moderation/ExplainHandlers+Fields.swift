import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The explanations of who sees which fields, and of changes of profiles.
extension ExplainHandlers {
    static func explainProfile(
        _ request: ExplainProfileRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ExplainProfileResponse> {
        let viewer = violations.user(request.fromUserID, "from_user_id")
        let owner = UserID(request.toUserID)
        let mask = ProfileMask(
            request.readMask, "read_mask", call.app.settings, &violations)
        let fields = ProfileField.allCases.filter { mask.contains($0) }
        return Reading { (transaction) throws(StorageError) in
            guard let viewer else { return nil }
            let explained = try Profiles.explain(
                fields, customFields: mask.customFields, of: owner, by: viewer, at: call.now,
                app: call.app, in: transaction)
            var response = ExplainProfileResponse()
            response.set(explained.code, explained.reason)
            response.rungs = explained.rungs.map { Rung($0) }
            response.fields = explained.fields.map { ExplainedField($0) }
            response.appVersion = explained.appVersion
            return response
        }
    }

    static func explainUpdateProfile(
        _ request: ExplainUpdateProfileRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ExplainUpdateProfileResponse> {
        let user = violations.user(request.fromUserID, "from_user_id")
        let isOwn = request.asUser
        return Reading { (transaction) throws(StorageError) in
            guard let user else { return nil }
            let explanation = try Profiles.explainUpdate(
                of: user, isOwn: isOwn, at: call.now, app: call.app, in: transaction)
            return ExplainUpdateProfileResponse(explanation)
        }
    }
}

extension ExplainProfileResponse: OutcomeMessage {}

extension ExplainUpdateProfileResponse: ExplainedMessage {}

extension ExplainedField {
    init(_ explained: FieldExplanation) {
        self.init()
        field = explained.path
        state = explained.state
        rungs = explained.rungs.map { Rung($0) }
    }
}
