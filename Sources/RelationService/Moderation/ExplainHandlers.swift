import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The calls of ModerationService that say why another call answers as it does.
enum ExplainHandlers {
    static func register(in router: Router) {
        router.read(ModerationMethods.explainSend, explainSend)
        router.read(ModerationMethods.explainAddFriend, explainAddFriend)
        router.read(ModerationMethods.explainFollow, explainFollow)
        router.read(ModerationMethods.explainBlock, explainBlock)
        router.read(ModerationMethods.explainRespond, explainRespond)
        router.read(ModerationMethods.explainAcceptInvitation, explainAcceptInvitation)
        router.read(ModerationMethods.explainCheckFriend, explainCheckFriend)
        router.read(ModerationMethods.explainProfile, explainProfile)
        router.read(ModerationMethods.explainUpdateProfile, explainUpdateProfile)
    }

    static func explainSend(
        _ request: ExplainSendRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ExplainSendResponse> {
        let sender = violations.user(request.fromUserID, "from_user_id")
        let receiver = UserID(request.toUserID)
        return Reading { (transaction) throws(StorageError) in
            guard let sender else { return nil }
            let explanation = try SendRules.explain(
                from: sender, to: receiver, at: call.now, app: call.app, in: transaction)
            let answer = explanation.answer
            var response = ExplainSendResponse(answer.code, answer.reason, by: explanation)
            response.muted = answer == .muted || answer == .mutedAndIgnored
            response.ignored = answer == .ignored || answer == .mutedAndIgnored
            return response
        }
    }

    static func explainAddFriend(
        _ request: ExplainAddFriendRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ExplainAddFriendResponse> {
        let owner = violations.user(request.fromUserID, "from_user_id")
        let other = UserID(request.toUserID)
        violations.known(request.addType, "add_type")
        if request.force && request.asUser {
            violations.add("force", "a user has no scope admin, so it does not go with as_user")
        }
        let type = request.addType == .unspecified ? AddType.both : request.addType
        let (force, isOwn) = (request.force, request.asUser)
        return Reading { (transaction) throws(StorageError) in
            guard let owner else { return nil }
            let explanation = try FriendRules.explainAdd(
                other, to: owner, type, force: force, isOwn: isOwn, at: call.now, app: call.app,
                in: transaction)
            return ExplainAddFriendResponse(explanation)
        }
    }

    static func explainFollow(
        _ request: ExplainFollowRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ExplainFollowResponse> {
        let owner = violations.user(request.fromUserID, "from_user_id")
        let user = UserID(request.toUserID)
        let isOwn = request.asUser
        return Reading { (transaction) throws(StorageError) in
            guard let owner else { return nil }
            let explanation = try FollowRules.explain(
                owner, user, isOwn: isOwn, at: call.now, app: call.app, in: transaction)
            return ExplainFollowResponse(explanation)
        }
    }

    static func explainBlock(
        _ request: ExplainBlockRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ExplainBlockResponse> {
        let owner = violations.user(request.fromUserID, "from_user_id")
        let user = UserID(request.toUserID)
        let isOwn = request.asUser
        return Reading { (transaction) throws(StorageError) in
            guard let owner else { return nil }
            let explanation = try Blacklist.explainAdd(
                user, to: owner, isOwn: isOwn, at: call.now, app: call.app, in: transaction)
            return ExplainBlockResponse(explanation)
        }
    }

    static func explainRespond(
        _ request: ExplainRespondRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ExplainRespondResponse> {
        let responder = violations.user(request.fromUserID, "from_user_id")
        let applicant = UserID(request.toUserID)
        let type = request.responseType ?? .agreeAndAdd
        violations.known(type, "response_type")
        let (id, isOwn) = (request.applicationID, request.asUser)
        return Reading { (transaction) throws(StorageError) in
            guard let responder else { return nil }
            let explanation = try ApplicationRules.explainResponse(
                type, to: applicant, id: id, of: responder, isOwn: isOwn, at: call.now,
                app: call.app, in: transaction)
            return ExplainRespondResponse(explanation)
        }
    }

    static func explainAcceptInvitation(
        _ request: ExplainAcceptInvitationRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ExplainAcceptInvitationResponse> {
        let user = violations.user(request.fromUserID, "from_user_id")
        let id = InvitationID(request.invitationID)
        if id == nil { violations.add("invitation_id", "is not an id of an invitation") }
        let isOwn = request.asUser
        return Reading { (transaction) throws(StorageError) in
            guard let user, let id else { return nil }
            let explained = try Invitations.explain(
                id, by: user, isOwn: isOwn, at: call.now, app: call.app, in: transaction)
            let answer = explained.explanation.answer
            var response = ExplainAcceptInvitationResponse(
                answer.code, answer.reason.ofAcceptance, by: explained.explanation)
            response.inviterUserID = explained.inviter?.text ?? ""
            return response
        }
    }

    static func explainCheckFriend(
        _ request: ExplainCheckFriendRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ExplainCheckFriendResponse> {
        let owner = violations.user(request.fromUserID, "from_user_id")
        let user = request.toUserID
        violations.known(request.checkType, "check_type")
        let type: CheckType =
            request.checkType == .unidirection ? .unidirection : .bidirection
        return Reading { (transaction) throws(StorageError) in
            guard let owner else { return nil }
            let explanation = try FriendCheck.explain(
                user, of: owner, type, at: call.now, app: call.app, in: transaction)
            switch explanation.answer {
            case nil, .noAccount:
                return ExplainCheckFriendResponse(
                    .accountNotFound, Reason.FriendCheck.accountNotExist, by: explanation)
            case .malformed:
                return ExplainCheckFriendResponse(
                    .invalidParameter, Reason.FriendCheck.userIDIllegal, by: explanation)
            case .some(let finding):
                var response = ExplainCheckFriendResponse(.success, .none, by: explanation)
                response.relation = finding.relation
                return response
            }
        }
    }
}

/// An answer that explains a rule: an outcome, the rungs up to it, and the version of the app.
protocol ExplainedMessage: OutcomeMessage {
    var rungs: [Rung] { get set }
    var appVersion: Int64 { get set }
}

extension ExplainedMessage {
    init(_ code: Code, _ reason: Reason, by explanation: Explanation<some Sendable>) {
        self.init()
        set(code, reason)
        rungs = explanation.rungs.map { Rung($0) }
        appVersion = explanation.appVersion
    }
}

extension ExplainedMessage where Code: OutcomeCode {
    init(_ explanation: Explanation<Outcome<Code>>) {
        self.init(explanation.answer.code, explanation.answer.reason, by: explanation)
    }
}

extension ExplainSendResponse: ExplainedMessage {}

extension ExplainAddFriendResponse: ExplainedMessage {}

extension ExplainFollowResponse: ExplainedMessage {}

extension ExplainBlockResponse: ExplainedMessage {}

extension ExplainRespondResponse: ExplainedMessage {}

extension ExplainAcceptInvitationResponse: ExplainedMessage {}

extension ExplainCheckFriendResponse: ExplainedMessage {}

extension Rung {
    init(_ rung: ExplainedRung) {
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
        value = rung.value
        count = rung.bound?.count ?? 0
        limit = rung.bound?.limit ?? 0
        hookID = rung.hookID
    }
}
