import RelationAPI
import RelationAccess
import RelationCore
import RelationModel
import Support

@testable import RelationCalls
@testable import RelationService

extension ServiceHistory {
    /// Makes, revokes or uses an invitation.
    ///
    /// Codes are numbers here, so that a history knows those of its earlier calls.
    mutating func invitation() -> ServiceStep {
        switch number(5) {
        case 0, 1: return createInvitation()
        case 2:
            var request = RevokeInvitationRequest()
            request.userID = actor()
            let code = Self.code(knownInvitation())
            request.invitationID = InvitationID(digest: APIKey.digest(of: code.utf8)).text
            return ServiceStep(
                InvitationMethods.revokeInvitation, request, InvitationHandlers.revoke)
        default:
            var request = AcceptInvitationRequest()
            request.userID = actor()
            request.invitationCode =
                number(20) == 0 ? "no code" : Self.code(knownInvitation())
            request.wording = text()
            request.remark = text()
            return ServiceStep(
                InvitationMethods.acceptInvitation, request, InvitationHandlers.accept)
        }
    }

    private mutating func createInvitation() -> ServiceStep {
        invitations += 1
        let bytes = Self.bytes(invitations)
        var request = CreateInvitationRequest()
        request.userID = actor()
        request.maxUses = Int32(one(of: [1, 1, 2, 3, 0]))
        request.expirySeconds = one(of: [60, 120, 3_600, 86_400, 59])
        request.text = text()
        request.preApproved = number(2) == 0
        return ServiceStep(
            InvitationMethods.createInvitation, request,
            { request, call, violations in
                InvitationHandlers.create(request, call, &violations, Randomness { _ in bytes })
            },
            forgetting: { $0.invitationCode = "" })
    }

    private mutating func knownInvitation() -> Int {
        max(0, invitations - number(8))
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        (0..<Limits.invitationCodeBytes).map { place -> UInt8 in
            place < 4 ? UInt8(truncatingIfNeeded: number >> (8 * place)) : 0
        }
    }

    private static func code(_ number: Int) -> String {
        String(hexadecimal: bytes(number))
    }
}
