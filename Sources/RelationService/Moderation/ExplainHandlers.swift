import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The calls of ModerationService that say why another call answers as it does.
enum ExplainHandlers {
    static func register(in router: Router) {
        router.read(ModerationMethods.explainSend, explainSend)
    }

    static func explainSend(
        _ request: ExplainSendRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<ExplainSendResponse> {
        let sender = faults.user(request.fromUserID, "from_user_id")
        let receiver = UserID(request.toUserID)
        return Reading { (transaction) throws(StorageError) in
            guard let sender else { return nil }
            let explanation = try SendRules.explain(
                from: sender, to: receiver, at: call.now, app: call.app, in: transaction)
            var response = ExplainSendResponse()
            let answer = explanation.answer
            response.take(answer.code, answer.reason)
            response.muted = answer == .muted || answer == .mutedAndIgnored
            response.ignored = answer == .ignored || answer == .mutedAndIgnored
            response.rungs = explanation.rungs.map { Rung($0) }
            response.appVersion = explanation.appVersion
            return response
        }
    }
}

extension ExplainSendResponse: OutcomeMessage {}

extension Rung {
    fileprivate init<Answer: Sendable>(_ rung: Explanation<Answer>.Rung) {
        self.init()
        kind = rung.kind
        decided = rung.decided
        rows = rung.rows.map { row in
            RungRow.with {
                $0.ownerUserID = row.owner.text
                $0.otherUserID = row.other?.text ?? ""
                $0.present = row.isPresent
                $0.sequence = row.sequence
                $0.addTimeMs = row.addTimeMs
                $0.endTimeMs = row.endTimeMs
            }
        }
        setting = rung.setting?.name ?? ""
        settingOn = rung.setting?.isOn ?? false
    }
}
