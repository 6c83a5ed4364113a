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
            var response = ExplainSendResponse()
            let answer = explanation.answer
            response.set(answer.code, answer.reason)
            response.muted = answer == .muted || answer == .mutedAndIgnored
            response.ignored = answer == .ignored || answer == .mutedAndIgnored
            response.rungs = explanation.rungs.map { Rung($0) }
            response.appVersion = explanation.appVersion
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
            var response = ExplainAddFriendResponse()
            response.set(explanation.answer.code, explanation.answer.reason)
            response.rungs = explanation.rungs.map { Rung($0) }
            response.appVersion = explanation.appVersion
            return response
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
            var response = ExplainFollowResponse()
            response.set(explanation.answer.code, explanation.answer.reason)
            response.rungs = explanation.rungs.map { Rung($0) }
            response.appVersion = explanation.appVersion
            return response
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
            var response = ExplainBlockResponse()
            response.set(explanation.answer.code, explanation.answer.reason)
            response.rungs = explanation.rungs.map { Rung($0) }
            response.appVersion = explanation.appVersion
            return response
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
            var response = ExplainRespondResponse()
            response.set(explanation.answer.code, explanation.answer.reason)
            response.rungs = explanation.rungs.map { Rung($0) }
            response.appVersion = explanation.appVersion
            return response
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
            var response = ExplainAcceptInvitationResponse()
            response.set(answer.code, answer.reason.ofAcceptance)
            response.rungs = explained.explanation.rungs.map { Rung($0) }
            response.appVersion = explained.explanation.appVersion
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
            var response = ExplainCheckFriendResponse()
            switch explanation.answer {
            case nil, .noAccount:
                response.set(.accountNotFound, Reason.FriendCheck.accountNotExist)
            case .malformed: response.set(.invalidParameter, Reason.FriendCheck.userIDIllegal)
            case .some(let finding):
                response.set(.success)
                response.relation = finding.relation
            }
            response.rungs = explanation.rungs.map { Rung($0) }
            response.appVersion = explanation.appVersion
            return response
        }
    }
}

extension ExplainSendResponse: OutcomeMessage {}

extension ExplainAddFriendResponse: OutcomeMessage {}

extension ExplainFollowResponse: OutcomeMessage {}

extension ExplainBlockResponse: OutcomeMessage {}

extension ExplainRespondResponse: OutcomeMessage {}

extension ExplainAcceptInvitationResponse: OutcomeMessage {}

extension ExplainCheckFriendResponse: OutcomeMessage {}

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
