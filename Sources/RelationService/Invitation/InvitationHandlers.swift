import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationAccess
import RelationCalls
import RelationCore
import RelationModel

/// The calls of InvitationService.
package enum InvitationHandlers {
    package static func register(in router: Router) {
        let randomness = router.randomness
        router.write(InvitationMethods.createInvitation) { request, call, violations in
            create(request, call, &violations, randomness)
        }
        router.read(InvitationMethods.listInvitations, list)
        router.read(InvitationMethods.getInvitation, get)
        router.write(InvitationMethods.revokeInvitation, revoke)
        router.write(InvitationMethods.acceptInvitation, accept)
    }

    static func create(
        _ request: CreateInvitationRequest, _ call: Call, _ violations: inout Violations,
        _ randomness: Randomness
    ) -> Work<CreateInvitationResponse> {
        let uses = 1...Int32(Limits.invitationUses)
        if !uses.contains(request.maxUses) {
            violations.add("max_uses", "is \(request.maxUses); 1 to \(uses.upperBound) are allowed")
        }
        let seconds = request.expirySeconds
        let lives = Limits.invitationSeconds
        if !lives.contains(seconds) {
            violations.add(
                "expiry_seconds",
                "is \(seconds); \(lives.lowerBound) to \(lives.upperBound) are allowed")
        }
        let now = call.now.milliseconds
        // The id is a part of the code's digest. So no row, event or list tells the code.
        let code = randomness.text(bytes: Limits.invitationCodeBytes)
        let id = InvitationID(digest: APIKey.digest(of: code.utf8))
        var record = InvitationRecord()
        record.invitationID = id.text
        record.maxUses = request.maxUses
        record.text = request.text
        record.preApproved = request.preApproved
        record.createTimeMs = now
        record.expireTimeMs = now + (lives.contains(seconds) ? seconds * 1_000 : 0)
        let isDryRun = request.options?.dryRun ?? false
        let owner = call.user
        let isTextLegal = call.app.settings.limits.wording.allows(request.text)
        var work = Work<CreateInvitationResponse>(
            .one { [record] (ledger) throws(StorageError) in
                var outcome = FriendOutcome(.invalidParameter, Reason.InvitationCreate.textIllegal)
                if isTextLegal {
                    outcome = try Invitations.create(id, record, of: owner, in: ledger)
                }
                var response = CreateInvitationResponse()
                response.set(outcome.code, outcome.reason)
                guard outcome.changed else {
                    return .success(
                        WriteResult(response: response, applied: false, isRefused: true))
                }
                response.invitation = Invitation(record)
                let kept = response
                if !isDryRun { response.invitationCode = code }
                return .success(WriteResult(response: response, applied: true, kept: kept))
            })
        work.action = .reach
        Invitations.keysForCreating(app: call.app, into: &work.keys)
        return work
    }

    static func list(
        _ request: ListInvitationsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListInvitationsResponse> {
        let query = "ListInvitations \(mark: call.app) \(call.user)"
        let page = KeyedPage(request.pageSize, request.pageToken, of: query, &violations)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            let all = try Invitations.list(
                of: call.user, at: call.now, app: call.app, in: transaction)
            let shown = page.cut(all, by: \.pageKey)
            var response = ListInvitationsResponse()
            response.invitations = shown.rows.map(Invitation.init)
            response.nextPageToken = shown.nextToken
            response.totalSize = Int32(all.count)
            response.sequence = userRecord.invitationsSequence
            return response
        }
    }

    static func get(
        _ request: GetInvitationRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<GetInvitationResponse> {
        let id = InvitationID(code: request.invitationCode)
        return reading(call) { (_, transaction) throws(StorageError) in
            var response = GetInvitationResponse()
            guard let id else {
                response.set(.invalidParameter, Reason.InvitationGet.codeIllegal)
                return response
            }
            let preview = try Invitations.preview(
                id, at: call.now, app: call.app, in: transaction)
            guard let found = preview else {
                response.set(.invalidParameter, Reason.InvitationGet.notFound)
                return response
            }
            response.inviterUserID = found.inviter.text
            guard !found.isSuspended else {
                response.set(.addRestricted, Reason.InvitationGet.suspended)
                return response
            }
            response.set(.success)
            response.nick = found.profile.nick ?? ""
            response.faceURL = found.profile.faceURL ?? ""
            response.text = found.record.text
            response.preApproved = found.record.preApproved
            response.state = found.record.state
            response.expireTimeMs = found.record.expireTimeMs
            return response
        }
    }

    static func revoke(
        _ request: RevokeInvitationRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RevokeInvitationResponse> {
        let id = InvitationID(request.invitationID)
        if id == nil { violations.add("invitation_id", "is not an id of an invitation") }
        let owner = call.user
        var work = Work<RevokeInvitationResponse>(
            .one { (ledger) throws(StorageError) in
                guard let id, let end = try Invitations.revoke(id, of: owner, in: ledger) else {
                    return .failure(unknownInvitation)
                }
                var response = RevokeInvitationResponse()
                response.invitation = Invitation(end.record)
                return .success(WriteResult(response: response, applied: end.changed))
            })
        if let id { Invitations.keysForRevoking(id, of: owner, app: call.app, into: &work.keys) }
        return work
    }

    static func accept(
        _ request: AcceptInvitationRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<AcceptInvitationResponse> {
        let validator = FriendValuesValidator(.accept, call.app, isAdmin: call.isAdmin)
        var items = FriendItemValidator<ExactText, Invitations.Acceptance>(
            duplicate: Reason.InvitationAccept.codeIllegal)
        items.add(for: ExactText(request.invitationCode)) { () throws(FriendRefusal) in
            guard let id = InvitationID(code: request.invitationCode) else {
                throw FriendRefusal(Reason.InvitationAccept.codeIllegal)
            }
            var values = FriendValues()
            values.remark = request.remark
            values.wording = request.wording
            values.groups = []
            try validator.check(&values)
            values.source = AddSource.invitation
            return Invitations.Acceptance(id, values, isReviewed: !call.isAdmin)
        }
        let user = call.user
        let found = Found()
        var work = Work<AcceptInvitationResponse>.each(
            items.prepared,
            { (acceptance, ledger) throws(StorageError) in
                found.inviter = ""
                return try Invitations.accept(acceptance, by: user, in: ledger) {
                    found.inviter = $0.text
                }
            },
            answering: { outcomes in
                var response = AcceptInvitationResponse()
                guard let outcome = outcomes.first else { return response }
                response.set(outcome.code, outcome.reason.ofAcceptance)
                response.inviterUserID = found.inviter
                return response
            })
        work.action = .reach
        for acceptance in items.prepared.values() {
            Invitations.keysForAccepting(acceptance.id, app: call.app, into: &work.keys)
        }
        return work
    }

    private static let unknownInvitation = RPCError(
        .notFound, .invitationNotFound, "invitation_id: the user has no such invitation")

    /// The inviter that a rule found, until the call is answered.
    private final class Found {
        var inviter = ""
    }
}

extension Reason {
    /// The reason of AcceptInvitation that stands for one of AddFriends.
    var ofAcceptance: Reason {
        switch self {
        case FriendAdd.oneself: InvitationAccept.oneself
        case FriendAdd.accountNotExist: InvitationAccept.accountNotExist
        case FriendAdd.denied: InvitationAccept.denied
        case FriendAdd.inSelfBlacklist: InvitationAccept.inSelfBlacklist
        case FriendAdd.inPeerBlacklist: InvitationAccept.inPeerBlacklist
        case FriendAdd.friendExist: InvitationAccept.friendExist
        case FriendAdd.sensitiveText: InvitationAccept.sensitiveText
        case FriendAdd.restricted: InvitationAccept.restricted
        case FriendAdd.allowTypeForbid: InvitationAccept.allowTypeForbid
        case FriendAdd.selfFriendFull: InvitationAccept.selfFriendFull
        case FriendAdd.peerFriendFull: InvitationAccept.peerFriendFull
        case FriendAdd.pendencyLimit: InvitationAccept.pendencyLimit
        case FriendAdd.needConfirm: InvitationAccept.needConfirm
        case FriendAdd.peerRestricted: InvitationAccept.peerRestricted
        case FriendAdd.coolingDown: InvitationAccept.coolingDown
        case FriendAdd.newAccount: InvitationAccept.newAccount
        default: self
        }
    }
}

extension InvitationID {
    /// The id of the invitation of `code`; nil if `code` has not the form of one.
    fileprivate init?(code: String) {
        guard Self.isCode(code) else { return nil }
        self.init(digest: APIKey.digest(of: code.utf8))
    }
}

extension InvitationRecord {
    /// The position in a list of which the latest come first.
    fileprivate var pageKey: [UInt8] {
        let order = UInt64(bitPattern: .max - createTimeMs)
        return (0..<8).map { UInt8(truncatingIfNeeded: order >> (56 - 8 * $0)) }
            + Array(invitationID.utf8)
    }
}

extension Invitation {
    init(_ record: InvitationRecord) {
        self.init()
        invitationID = record.invitationID
        state = record.state
        maxUses = record.maxUses
        useCount = record.useCount
        text = record.text
        preApproved = record.preApproved
        createTimeMs = record.createTimeMs
        expireTimeMs = record.expireTimeMs
        endTimeMs = record.endTimeMs
    }
}

extension CreateInvitationResponse: OutcomeMessage {}

extension GetInvitationResponse: OutcomeMessage {}

extension AcceptInvitationResponse: OutcomeMessage {}
