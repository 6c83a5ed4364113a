import Foundation
import Protobuf
import RelationAPI
import RelationAccess
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationChanges
@testable import RelationService

/// The rows of each write stand in docs/performance.md.
@Suite struct WriteCostTests {
    @Test func thePageHasTheRowsOfEachWrite() throws {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        let page = try String(contentsOfFile: "\(root)/docs/performance.md", encoding: .utf8)
        let lines = page.split(separator: "\n")
        let rows = try WriteCosts().rows()
        // `make write-costs` puts them into the page, with their instructions.
        if let path = ProcessInfo.processInfo.environment["RELATION_WRITE_COSTS"] {
            try rows.map { $0 + "\n" }.joined()
                .write(toFile: path, atomically: true, encoding: .utf8)
        }
        for row in rows {
            #expect(
                lines.contains { $0.hasPrefix(row) }, "docs/performance.md should have \(row)")
        }
    }
}

/// The rows that writes about one other user read and write, as lines of a table.
struct WriteCosts {
    private let tally = WriteTally()
    private let harness: ServiceHarness

    init() throws {
        harness = ServiceHarness(try World("A", "B", on: tally))
        try harness.register()
    }

    func rows() throws -> [String] {
        var follow = FollowRequest()
        (follow.userID, follow.userIDs) = ("A", ["B"])
        var unfollow = UnfollowRequest()
        (unfollow.userID, unfollow.userIDs) = ("A", ["B"])
        var rows = [
            try row("Follow", ServiceStep(FollowMethods.follow, follow, FollowHandlers.follow)),
            try row(
                "Unfollow",
                ServiceStep(FollowMethods.unfollow, unfollow, FollowHandlers.unfollow)),
            try row("CreateInvitation", create(1)),
        ]
        var accept = AcceptInvitationRequest()
        (accept.userID, accept.invitationCode) = ("B", code(1))
        rows.append(
            try row(
                "AcceptInvitation",
                ServiceStep(
                    InvitationMethods.acceptInvitation, accept, InvitationHandlers.accept)))
        try send(create(2))
        var revoke = RevokeInvitationRequest()
        revoke.userID = "A"
        revoke.invitationID = InvitationID(digest: APIKey.digest(of: code(2).utf8)).text
        rows.append(
            try row(
                "RevokeInvitation",
                ServiceStep(
                    InvitationMethods.revokeInvitation, revoke, InvitationHandlers.revoke)))
        var update = UpdateFriendsRequest()
        update.userID = "A"
        var item = FriendUpdate()
        (item.userID, item.starred) = ("B", true)
        item.updateMask = FieldMask(["starred"])
        update.items = [item]
        rows.append(
            try row(
                "UpdateFriends",
                ServiceStep(FriendMethods.updateFriends, update, FriendHandlers.updateFriends)))
        var sessions = RevokeUserSessionsRequest()
        sessions.userIDs = ["B"]
        rows.append(
            try row(
                "RevokeUserSessions",
                ServiceStep(
                    AccountMethods.revokeUserSessions, sessions, SessionHandlers.revoke)))
        return try rows + moderationRows()
    }

    private func moderationRows() throws -> [String] {
        var suspend = SuspendAccountsRequest()
        var item = SuspensionItem()
        (item.userID, item.level) = ("B", .limited)
        item.endTimeMs = harness.world.now.milliseconds + 3_600_000
        suspend.items = [item]
        var reinstate = ReinstateAccountsRequest()
        reinstate.userIDs = ["B"]
        return try [
            row(
                "SuspendAccounts",
                ServiceStep(
                    ModerationMethods.suspendAccounts, suspend,
                    { ModerationHandlers.suspend($0, $1, &$2, wake: {}) })),
            row(
                "ReinstateAccounts",
                ServiceStep(
                    ModerationMethods.reinstateAccounts, reinstate,
                    ModerationHandlers.reinstate)),
        ] + reportRows() + listRows() + findingRows() + profileRows()
    }

    private func reportRows() throws -> [String] {
        var report = ReportUserRequest()
        (report.userID, report.reportedUserID, report.category) = ("A", "B", .spam)
        var item = ReportResolution()
        (item.reportID, item.outcome) = ("1", .dismissed)
        var resolve = ResolveReportsRequest()
        resolve.items = [item]
        return [
            try row(
                "ReportUser",
                ServiceStep(ModerationMethods.reportUser, report, ReportHandlers.report)),
            try row(
                "ResolveReports",
                ServiceStep(ModerationMethods.resolveReports, resolve, ReportHandlers.resolve)),
        ]
    }

    private func listRows() throws -> [String] {
        var status = SetStatusRequest()
        (status.userID, status.text) = ("A", "On a train")
        var dismiss = DismissSuggestionsRequest()
        (dismiss.userID, dismiss.userIDs) = ("A", ["B"])
        var restore = RestoreSuggestionsRequest()
        (restore.userID, restore.userIDs) = ("A", ["B"])
        return [
            try row(
                "SetStatus",
                ServiceStep(PresenceMethods.setStatus, status, PresenceHandlers.setStatus)),
            try row(
                "DismissSuggestions",
                ServiceStep(
                    FriendMethods.dismissSuggestions, dismiss, FriendHandlers.dismissSuggestions)),
            try row(
                "RestoreSuggestions",
                ServiceStep(
                    FriendMethods.restoreSuggestions, restore, FriendHandlers.restoreSuggestions)),
        ]
    }

    private func findingRows() throws -> [String] {
        let digests = [[UInt8](repeating: 7, count: Limits.contactDigestBytes)]
        var contacts = SetContactDigestsRequest()
        (contacts.userID, contacts.kind, contacts.digests) = ("B", .phone, digests)
        var find = FindContactsRequest()
        (find.userID, find.kind, find.digests) = ("A", .phone, digests)
        return [
            try row("SetFindSettings", choose(\.byEmail)),
            try row(
                "SetContactDigests",
                ServiceStep(
                    ProfileMethods.setContactDigests, contacts,
                    ContactHandlers.setContactDigests)),
            try row(
                "FindContacts",
                ServiceStep(
                    ProfileMethods.findContacts, find, ContactHandlers.findContacts)),
        ]
    }

    private func profileRows() throws -> [String] {
        var visibility = SetVisibilityRequest()
        visibility.userID = "A"
        var field = FieldVisibility()
        (field.field, field.visibility) = ("gender", .friends)
        visibility.fields = [field]
        var rows = [
            try row(
                "SetVisibility",
                ServiceStep(
                    ProfileMethods.setVisibility, visibility, ProfileHandlers.setVisibility)),
            try row("UpdateProfile", name("李四")),
        ]
        harness.world.settings.findsUsers = true
        let beside = ", with the index of names"
        rows.append(try row("UpdateProfile", name("张三"), beside: beside))
        rows.append(try row("SetFindSettings", choose(\.byName), beside: beside))
        harness.world.settings.findsUsers = false
        return try rows + [reviewRow()] + deletionRows()
    }

    private func reviewRow() throws -> String {
        harness.world.settings.reviewedFields.held = ["nick"]
        harness.isAdmin = false
        try send(name("王五"))
        harness.isAdmin = true
        var verdict = ReviewVerdict()
        (verdict.reviewID, verdict.decision) = ("1", .approved)
        var decide = DecideReviewsRequest()
        decide.items = [verdict]
        return try row(
            "DecideReviews",
            ServiceStep(ModerationMethods.decideReviews, decide, ReviewHandlers.decide))
    }

    /// Each deletes an account that has no relations: the rows of a deletion's steps are not here.
    private func deletionRows() throws -> [String] {
        try harness.world.create(["C", "D"])
        return try [
            row("DeleteAccounts", delete("C", erases: false)),
            row("DeleteAccounts", delete("D", erases: true), beside: " with `erase`"),
        ] + presenceRows()
    }

    private func presenceRows() throws -> [String] {
        try harness.world.create(["E"])
        let board = PresenceBoard()
        var item = PresenceReport()
        (item.userID, item.deviceID, item.platform) = ("E", "phone", "ios")
        (item.online, item.leaseSeconds) = (true, 60)
        var request = ReportPresenceRequest()
        request.items = [item]
        let report = ServiceStep(
            PresenceMethods.reportPresence, request,
            { PresenceHandlers.report($0, $1, &$2, board) })
        return try [
            row("ReportPresence", report, beside: " of a new device"),
            row("ReportPresence", report, beside: " within the hour"),
        ]
    }

    private func delete(_ user: String, erases: Bool) -> ServiceStep {
        var request = DeleteAccountsRequest()
        (request.userIDs, request.erase) = ([user], erases)
        return ServiceStep(
            AccountMethods.deleteAccounts, request,
            { AccountHandlers.delete($0, $1, &$2, PresenceBoard()) {} })
    }

    /// Lets no user find B in one way.
    private func choose(_ way: WritableKeyPath<FindSettings, Findability?>) -> ServiceStep {
        var request = SetFindSettingsRequest()
        var settings = FindSettings()
        settings[keyPath: way] = .noUser
        (request.userID, request.settings) = ("B", settings)
        return ServiceStep(
            ProfileMethods.setFindSettings, request, FindHandlers.setFindSettings)
    }

    /// Gives B another nick.
    private func name(_ nick: String) -> ServiceStep {
        var request = UpdateProfileRequest()
        request.userID = "B"
        var profile = Profile()
        profile.nick = nick
        request.profile = profile
        request.updateMask = FieldMask(["nick"])
        return ServiceStep(ProfileMethods.updateProfile, request, ProfileHandlers.update)
    }

    private func row(
        _ name: String, _ step: ServiceStep, beside: String = ""
    ) throws -> String {
        _ = tally.take()
        try send(step)
        let (counts, bytes) = tally.takeWithBytes()
        let read = counts.read + counts.scanned
        return "| `\(name)`\(beside) | \(read) | \(counts.written) | \(bytes) |"
    }

    /// The clock goes on by a second before each call.
    private func send(_ step: ServiceStep) throws {
        harness.world.advance(milliseconds: 1_000)
        guard case .response(_, applied: true, _) = try step.send(to: harness, WriteOptions())
        else { throw CallFailed(step: "\(step)") }
    }

    private func create(_ number: UInt8) -> ServiceStep {
        let bytes = [UInt8](repeating: number, count: Limits.invitationCodeBytes)
        var request = CreateInvitationRequest()
        (request.userID, request.maxUses, request.expirySeconds) = ("A", 1, 3_600)
        request.preApproved = true
        return ServiceStep(
            InvitationMethods.createInvitation, request,
            { InvitationHandlers.create($0, $1, &$2, Randomness { _ in bytes }) })
    }

    private func code(_ number: UInt8) -> String {
        String(repeating: "0\(number)", count: Limits.invitationCodeBytes)
    }

    private struct CallFailed: Error {
        let step: String
    }
}
