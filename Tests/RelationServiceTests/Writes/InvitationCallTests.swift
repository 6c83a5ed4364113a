import Digests
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// The codes of invitations, which only one answer tells.
@Suite struct InvitationCallTests {
    private let code = String(repeating: "10", count: Limits.invitationCodeBytes)

    private func harness() throws -> ServiceHarness {
        let harness = ServiceHarness(try World("A", "B"))
        try harness.register()
        return harness
    }

    /// Makes an invitation of A, whose random bytes are their number.
    private func invite(
        _ harness: ServiceHarness, _ edit: (inout CreateInvitationRequest) -> Void = { _ in }
    ) throws -> CreateInvitationResponse {
        let randomness = Randomness { count in Array(repeating: UInt8(count), count: count) }
        var request = CreateInvitationRequest()
        (request.userID, request.maxUses, request.expirySeconds) = ("A", 1, 60)
        edit(&request)
        return try harness.write(InvitationMethods.createInvitation, request) {
            InvitationHandlers.create($0, $1, &$2, randomness)
        }.get()
    }

    @Test func ofACodeOnlyAPartOfItsDigestIsStored() throws {
        let harness = try harness()
        let made = try invite(harness) {
            $0.options = WriteOptions.with { $0.requestID = "one" }
        }
        #expect(made.invitationCode == code)
        let id = InvitationID(digest: SHA256.digest(of: code.utf8))
        #expect(made.invitation?.invitationID == id.text)
        for row in try harness.world.store.rows(KeyRange(app: harness.world.app.id)) {
            #expect(!row.value.contains(Array(code.utf8)), "no stored row holds the code")
        }
    }

    @Test func aDryRunTellsNoCode() throws {
        let harness = try harness()
        let tried = try invite(harness) {
            $0.options = WriteOptions.with { $0.dryRun = true }
        }
        #expect(tried.invitationCode.isEmpty && tried.code == .success)
        #expect(try harness.world.rows(of: Tables.invitations, of: "A").isEmpty)
    }

    /// Neither a print of a request nor one of an answer shows a code.
    @Test func aMessageDoesNotShowItsCode() throws {
        let made = try invite(try harness())
        var request = AcceptInvitationRequest()
        request.invitationCode = code
        var asked = GetInvitationRequest()
        asked.invitationCode = code
        for text in ["\(made)", "\(request)", "\(asked)"] {
            #expect(!text.contains(code) && text.contains("hidden"))
        }
    }

    /// Both calls say the same of an invitation that is used up, and later has expired as well.
    @Test func aLookAndAUseTellTheSameEnd() throws {
        let harness = try harness()
        _ = try invite(harness) { $0.preApproved = true }
        var request = AcceptInvitationRequest()
        (request.userID, request.invitationCode) = ("B", code)
        var asked = GetInvitationRequest()
        (asked.userID, asked.invitationCode) = ("B", code)
        for state in [InvitationState.usedUp, .expired] {
            let answer = try harness.write(
                InvitationMethods.acceptInvitation, request, InvitationHandlers.accept
            ).get()
            #expect((answer.reason == Reason.InvitationAccept.expired) == (state == .expired))
            try harness.read(asked, InvitationHandlers.get) { response in
                let response = try #require(response)
                #expect(response.state == state)
            }
            harness.world.advance(milliseconds: 60_000)
        }
    }

    @Test func aLookAndAUseTellThatTheInviterIsSuspended() throws {
        let harness = try harness()
        _ = try invite(harness) { $0.text = "Come in" }
        try harness.world.call(by: nil) { (ledger) throws(StorageError) in
            var record = SuspensionRecord()
            record.level = .banned
            _ = try Suspensions.suspend("A", record, in: ledger)
        }
        var request = AcceptInvitationRequest()
        (request.userID, request.invitationCode) = ("B", code)
        let answer = try harness.write(
            InvitationMethods.acceptInvitation, request, InvitationHandlers.accept
        ).get()
        #expect(answer.code == .addRestricted && answer.inviterUserID == "A")
        var asked = GetInvitationRequest()
        (asked.userID, asked.invitationCode) = ("B", code)
        try harness.read(asked, InvitationHandlers.get) { response in
            let response = try #require(response)
            #expect(response.code == .addRestricted && response.inviterUserID == "A")
            #expect(response.reason == Reason.InvitationGet.suspended)
            #expect(response.nick.isEmpty && response.text.isEmpty)
            #expect(response.state == .unspecified && response.expireTimeMs == 0)
        }
    }

    @Test func aCodeThatWasRevokedIsAnsweredAsOneThatNeverWas() throws {
        let harness = try harness()
        let id = try #require(try invite(harness).invitation?.invitationID)
        var revoke = RevokeInvitationRequest()
        (revoke.userID, revoke.invitationID) = ("A", id)
        let revoked = try harness.write(
            InvitationMethods.revokeInvitation, revoke, InvitationHandlers.revoke
        ).get()
        #expect(revoked.applied && revoked.invitation?.state == .revoked)
        var answers: [AcceptInvitationResponse] = []
        for code in [code, String(repeating: "11", count: Limits.invitationCodeBytes)] {
            var request = AcceptInvitationRequest()
            (request.userID, request.invitationCode) = ("B", code)
            answers.append(
                try harness.write(
                    InvitationMethods.acceptInvitation, request, InvitationHandlers.accept
                ).get())
            var asked = GetInvitationRequest()
            (asked.userID, asked.invitationCode) = ("B", code)
            try harness.read(asked, InvitationHandlers.get) { response in
                let response = try #require(response)
                #expect(response.reason == Reason.InvitationGet.notFound)
                #expect(response.inviterUserID.isEmpty && response.state == .unspecified)
            }
        }
        #expect(answers.map(\.reason) == [Reason.InvitationAccept.notFound, answers[0].reason])
        #expect(answers.allSatisfy { $0.code == .invalidParameter && $0.inviterUserID.isEmpty })
    }
}
