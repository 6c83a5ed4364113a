import Protobuf
import RelationAPI
import RelationAccess
import RelationChanges
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// `applied` says whether at least one row changed, and `changed` of a result whether its item did.
@Suite struct ChangedTests {
    /// Calls one after another, each with whether it changes anything.
    private typealias Story = [(step: ServiceStep, changes: Bool)]

    /// A world in which A has the friend B in the group "old", blocks F, and was asked by D and E.
    private func harness() throws -> ServiceHarness {
        let world = try World("A", "B", "C", "D", "E", "F")
        for user: UserID in ["A", "C"] { try world.allow(.needConfirm, for: user) }
        try #require(try world.importFriend("B", of: "A").isAcceptable)
        try #require(try world.createGroup("old", with: ["B"], of: "A").isAcceptable)
        try #require(try world.block("F", by: "A").isAcceptable)
        for user: UserID in ["D", "E"] {
            try #require(try world.add("A", to: user).code == .pending)
        }
        let harness = ServiceHarness(world)
        try harness.register()
        let client = ServiceStep.making(
            AppMethods.registerClientApp, ClientAppHandlers.registerClientApp
        ) { ($0.clientAppID, $0.name) = ("reader", "Reader") }
        _ = try client.send(to: harness, WriteOptions())
        return harness
    }

    @Test func aWriteSaysWhetherItChangedAnything() throws {
        for story in Self.stories {
            let harness = try harness()
            for (step, changes) in story {
                let before = try harness.world.everything()
                var dryRun = WriteOptions()
                dryRun.dryRun = true
                guard case .response(_, false, let tried) = try step.send(to: harness, dryRun)
                else {
                    Issue.record("\(step): a dry run is applied, or fails")
                    continue
                }
                #expect(tried != true, "\(step): a dry run changes an item")
                #expect(try harness.world.everything() == before, "\(step)")
                guard
                    case .response(_, let applied, let changed) = try step.send(
                        to: harness, WriteOptions())
                else {
                    Issue.record("\(step) fails")
                    continue
                }
                #expect(applied == changes, "\(step)")
                #expect(changed == nil || changed == changes, "\(step)")
                if step.description.hasPrefix("ReportPresence") { continue }
                #expect((try harness.world.everything() != before) == changes, "\(step)")
            }
        }
    }

    @Test func aRepeatedRequestAnswersWhatTheFirstChanged() throws {
        for story in Self.stories {
            let harness = try harness()
            for (index, (step, changes)) in story.enumerated() {
                let options = WriteOptions.with { $0.requestID = "r\(index)" }
                let first = try step.send(to: harness, options)
                let again = try step.send(to: harness, options)
                guard case .response(_, let applied, let changed) = first,
                    case .response(let text, let appliedAgain, let changedAgain) = again
                else {
                    Issue.record("\(step) fails")
                    continue
                }
                #expect(applied == changes && appliedAgain == applied, "\(step)")
                #expect(changedAgain == changed, "\(step)")
                #expect(text.contains(#""replayed":true"#), "\(step)")
            }
        }
    }

    /// An item that is held back changed nothing, although it would have alone.
    @Test func whatIsHeldBackChangedNothing() throws {
        let mixed: [ServiceStep] = [
            ServiceStep.making(FriendMethods.deleteFriends, FriendHandlers.deleteFriends) {
                ($0.userID, $0.userIDs) = ("A", ["B", "C"])
            },
            ServiceStep.making(SubscriptionMethods.subscribe, SubscriptionHandlers.subscribe) {
                ($0.userID, $0.userIDs, $0.expirySeconds) = ("A", ["B", "A"], 60)
            },
            ServiceStep.making(ConsentMethods.grantPermissions, ConsentHandlers.grant) {
                ($0.userID, $0.clientAppID, $0.names) = ("A", "reader", ["email", "nothing"])
            },
            ServiceStep.making(AppMethods.definePermissions, ClientAppHandlers.define) {
                $0.items = [Self.permission("see_level"), Self.permission("no name")]
            },
            ServiceStep.making(AppMethods.defineCustomFields, CustomFieldHandlers.define) {
                $0.items = [Self.field("Note"), Self.field("no key")]
            },
            ServiceStep.making(GroupMethods.createFriendGroups, GroupHandlers.create) {
                ($0.userID, $0.names, $0.userIDs) = ("A", ["new"], ["B", "C"])
            },
            ServiceStep.making(AccountMethods.deleteAccounts, Self.deleteAccounts) {
                $0.userIDs = ["B", "unknown"]
            },
        ]
        for step in mixed {
            let harness = try harness()
            let before = try harness.world.everything()
            let held = try step.send(to: harness, WriteOptions.with { $0.allOrNothing = true })
            guard case .response(_, false, false) = held else {
                Issue.record("\(step): \(held)")
                continue
            }
            #expect(try harness.world.everything() == before, "\(step)")
            guard case .response(_, true, true) = try step.send(to: harness, WriteOptions()) else {
                Issue.record("\(step) changes nothing")
                continue
            }
        }
    }

    @Test func theResultOfARunningDeletionSaysThatItIsNoChange() throws {
        let harness = try harness()
        func delete() throws -> DeleteAccountsResponse {
            var request = DeleteAccountsRequest()
            request.userIDs = ["B"]
            return try harness.write(
                AccountMethods.deleteAccounts, request, Self.deleteAccounts
            ).get()
        }
        let first = try delete()
        #expect(first.applied && first.results[0].changed && first.results[0].reason == .none)
        let second = try delete()
        #expect(!second.applied && !second.results[0].changed)
        #expect(second.results[0].code == .success)
        #expect(second.results[0].reason == Reason.AccountDelete.isRunning)
        #expect(second.results[0].info == "running")
        #expect(second.results[0].deletionID == first.results[0].deletionID)
    }

    // MARK: The calls

    private static func deleteAccounts(
        _ request: DeleteAccountsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DeleteAccountsResponse> {
        AccountHandlers.delete(request, call, &violations, PresenceBoard()) {}
    }

    private static func field(_ key: String) -> CustomFieldMessage {
        var field = CustomFieldMessage()
        (field.owner, field.key, field.valueType) = (.friend, key, .string)
        return field
    }

    private static func permission(_ name: String) -> PermissionDefinition {
        var permission = PermissionDefinition()
        (permission.name, permission.kind, permission.fields) = (name, .extended, ["level"])
        return permission
    }

    /// The same call again and again, of which only the first changes anything.
    private static func once(_ step: ServiceStep) -> Story { [(step, true), (step, false)] }

    private static var stories: [Story] {
        friendStories + groupStories + applicationStories + otherStories + appStories
            + invitationStories + ownStories + moderationStories + historyStories
    }

    /// A change that is taken back already stays so.
    private static var historyStories: [Story] {
        let keep = ServiceStep.making(AppMethods.updateApp, AppHandlers.update) {
            $0.settings = AppSettingsMessage()
            $0.settings?.historyDays = 1
        }
        let block = ServiceStep.making(BlacklistMethods.addToBlacklist, BlacklistHandlers.add) {
            ($0.userID, $0.userIDs) = ("A", ["B"])
        }
        let undo = ServiceStep.making(MaintenanceMethods.undoChanges, HistoryHandlers.undo) {
            $0.positions = [1]
        }
        return [[(undo, false)] + once(keep) + [(block, true)] + once(undo)]
    }

    /// Calls about what the user alone sees, and about its custom status.
    private static var ownStories: [Story] {
        let dismiss = ServiceStep.making(
            FriendMethods.dismissSuggestions, FriendHandlers.dismissSuggestions
        ) { ($0.userID, $0.userIDs) = ("A", ["C", "D"]) }
        let restore = ServiceStep.making(
            FriendMethods.restoreSuggestions, FriendHandlers.restoreSuggestions
        ) { ($0.userID, $0.userIDs) = ("A", ["C"]) }
        let status = ServiceStep.making(PresenceMethods.setStatus, PresenceHandlers.setStatus) {
            ($0.userID, $0.text) = ("A", "away")
        }
        let clear = ServiceStep.making(PresenceMethods.setStatus, PresenceHandlers.setStatus) {
            $0.userID = "A"
        }
        let digests = ServiceStep.making(
            ProfileMethods.setContactDigests, ContactHandlers.setContactDigests
        ) { ($0.userID, $0.kind, $0.digests) = ("A", .phone, [[UInt8](repeating: 1, count: 32)]) }
        let contacts = ServiceStep.making(
            ProfileMethods.findContacts, ContactHandlers.findContacts
        ) { ($0.userID, $0.kind, $0.digests) = ("A", .phone, [[UInt8](repeating: 1, count: 32)]) }
        return [
            once(digests), [(contacts, true), (contacts, true)],
            [(restore, false)] + once(dismiss) + once(restore),
            [(clear, false)] + once(status) + once(clear),
        ]
    }

    private static var friendStories: [Story] {
        let add = ServiceStep.making(FriendMethods.addFriends, FriendHandlers.addFriends) {
            var friend = AddFriend()
            friend.userID = "E"
            ($0.userID, $0.items, $0.addType) = ("B", [friend], .single)
        }
        let update = ServiceStep.making(
            FriendMethods.updateFriends, FriendHandlers.updateFriends
        ) {
            var item = FriendUpdate()
            (item.userID, item.remark, item.groups) = ("B", "dear", ["old"])
            ($0.userID, $0.items) = ("A", [item])
        }
        let delete = ServiceStep.making(
            FriendMethods.deleteFriends, FriendHandlers.deleteFriends
        ) { ($0.userID, $0.userIDs) = ("A", ["B", "unknown", "B"]) }
        let deleteAll = ServiceStep.making(
            FriendMethods.deleteAllFriends, FriendHandlers.deleteAllFriends
        ) { $0.userID = "A" }
        return [once(add), once(update), once(delete), once(deleteAll)]
    }

    private static var groupStories: [Story] {
        let create = ServiceStep.making(GroupMethods.createFriendGroups, GroupHandlers.create) {
            ($0.userID, $0.names, $0.userIDs) = ("A", ["new"], ["B", "C"])
        }
        let delete = ServiceStep.making(GroupMethods.deleteFriendGroups, GroupHandlers.delete) {
            ($0.userID, $0.names) = ("A", ["old"])
        }
        let rename = ServiceStep.making(GroupMethods.renameFriendGroup, GroupHandlers.rename) {
            ($0.userID, $0.name, $0.newName) = ("A", "old", "new")
        }
        let remove = ServiceStep.making(
            GroupMethods.removeFriendsFromGroup, GroupHandlers.removeFriends
        ) { ($0.userID, $0.name, $0.userIDs) = ("A", "old", ["B"]) }
        let add = ServiceStep.making(GroupMethods.addFriendsToGroup, GroupHandlers.addFriends) {
            ($0.userID, $0.name, $0.userIDs) = ("A", "old", ["B"])
        }
        return [
            once(create), once(delete), once(rename),
            [(add, false)] + once(remove) + once(add),
        ]
    }

    private static var applicationStories: [Story] {
        let report = ServiceStep.making(
            ApplicationMethods.reportPendencies, ApplicationHandlers.report
        ) { ($0.userID, $0.timestampMs) = ("A", .max) }
        let hide = ServiceStep.making(
            ApplicationMethods.deletePendencies, ApplicationHandlers.delete
        ) { ($0.userID, $0.pendencyType, $0.userIDs) = ("A", .comeIn, ["D"]) }
        let withdraw = ServiceStep.making(
            ApplicationMethods.withdrawApplications, ApplicationHandlers.withdraw
        ) { ($0.userID, $0.userIDs) = ("D", ["A"]) }
        let respond = ServiceStep.making(
            ApplicationMethods.respondToApplications, ApplicationHandlers.respond
        ) {
            var item = FriendResponse()
            (item.userID, item.responseType) = ("D", .reject)
            ($0.userID, $0.items) = ("A", [item])
        }
        let apply = ServiceStep.making(FriendMethods.addFriends, FriendHandlers.addFriends) {
            var friend = AddFriend()
            friend.userID = "C"
            ($0.userID, $0.items) = ("A", [friend])
        }
        return [once(report), once(hide), once(withdraw), once(respond), [(apply, true)]]
    }

    private static var otherStories: [Story] {
        let block = ServiceStep.making(BlacklistMethods.addToBlacklist, BlacklistHandlers.add) {
            ($0.userID, $0.userIDs) = ("A", ["C", "F"])
        }
        let unblock = ServiceStep.making(
            BlacklistMethods.removeFromBlacklist, BlacklistHandlers.remove
        ) { ($0.userID, $0.userIDs) = ("A", ["F"]) }
        let subscribe = ServiceStep.making(
            SubscriptionMethods.subscribe, SubscriptionHandlers.subscribe
        ) { ($0.userID, $0.userIDs, $0.expirySeconds) = ("A", ["C"], 60) }
        let unsubscribe = ServiceStep.making(
            SubscriptionMethods.unsubscribe, SubscriptionHandlers.unsubscribe
        ) { ($0.userID, $0.userIDs) = ("A", ["C"]) }
        let profile = ServiceStep.making(ProfileMethods.updateProfile, ProfileHandlers.update) {
            $0.userID = "A"
            $0.profile = Profile()
            $0.profile?.nick = "Ann"
        }
        let visibility = ServiceStep.making(
            ProfileMethods.setVisibility, ProfileHandlers.setVisibility
        ) { ($0.userID, $0.visibility) = ("A", .friends) }
        let finding = ServiceStep.making(
            ProfileMethods.setFindSettings, FindHandlers.setFindSettings
        ) {
            $0.userID = "A"
            $0.settings = FindSettings.with { $0.byName = .noUser }
        }
        let decline = ServiceStep.making(
            ConsentMethods.declinePermissions, ConsentHandlers.decline
        ) { ($0.userID, $0.clientAppID, $0.names) = ("A", "reader", ["email"]) }
        let grant = ServiceStep.making(ConsentMethods.grantPermissions, ConsentHandlers.grant) {
            ($0.userID, $0.clientAppID, $0.names) = ("A", "reader", ["email"])
        }
        let revoke = ServiceStep.making(ConsentMethods.revokePermissions, ConsentHandlers.revoke) {
            ($0.userID, $0.clientAppID) = ("A", "reader")
            $0.permissions = .names(StringList(["email"]))
        }
        let revokeAll = ServiceStep.making(
            ConsentMethods.revokePermissions, ConsentHandlers.revoke
        ) { ($0.userID, $0.clientAppID, $0.permissions) = ("A", "reader", .all(true)) }
        let board = PresenceBoard()
        let presence = ServiceStep.making(
            PresenceMethods.reportPresence,
            { request, call, violations in
                PresenceHandlers.report(request, call, &violations, board)
            }
        ) {
            var report = PresenceReport()
            (report.userID, report.deviceID, report.online) = ("A", "phone", false)
            $0.items = [report]
        }
        return [
            once(block), once(unblock), [(unsubscribe, false), (subscribe, true)],
            [(subscribe, true)] + once(unsubscribe), once(profile), once(visibility),
            once(finding),
            once(decline), [(revoke, false), (grant, true)] + once(revoke),
            [(grant, true)] + once(revokeAll), [(presence, true), (presence, true)],
        ]
    }

    private static var invitationStories: [Story] {
        let code = String(repeating: "07", count: Limits.invitationCodeBytes)
        let invite = ServiceStep.making(
            InvitationMethods.createInvitation,
            { request, call, violations in
                let same = Randomness { [UInt8](repeating: 7, count: $0) }
                return InvitationHandlers.create(request, call, &violations, same)
            }
        ) {
            ($0.userID, $0.maxUses, $0.preApproved) = ("A", 2, true)
            $0.expirySeconds = 3_600
        }
        let accept = ServiceStep.making(
            InvitationMethods.acceptInvitation, InvitationHandlers.accept
        ) { ($0.userID, $0.invitationCode) = ("B", code) }
        let revoke = ServiceStep.making(
            InvitationMethods.revokeInvitation, InvitationHandlers.revoke
        ) {
            $0.userID = "A"
            $0.invitationID = InvitationID(digest: APIKey.digest(of: code.utf8)).text
        }
        return [
            [(accept, false), (invite, true)] + once(accept) + once(revoke) + [(accept, false)]
        ]
    }

    private static var moderationStories: [Story] {
        func suspend(_ level: SuspensionLevel, endSessions: Bool = false) -> ServiceStep {
            .making(
                ModerationMethods.suspendAccounts,
                { request, call, violations in
                    ModerationHandlers.suspend(request, call, &violations) {}
                }
            ) {
                var item = SuspensionItem()
                (item.userID, item.level) = ("B", level)
                $0.items = [item]
                $0.endSessions = endSessions
            }
        }
        let reinstate = ServiceStep.making(
            ModerationMethods.reinstateAccounts, ModerationHandlers.reinstate
        ) { $0.userIDs = ["B"] }
        let report = ServiceStep.making(ModerationMethods.reportUser, ReportHandlers.report) {
            ($0.userID, $0.reportedUserID, $0.category) = ("A", "B", .spam)
        }
        let resolve = ServiceStep.making(
            ModerationMethods.resolveReports, ReportHandlers.resolve
        ) {
            $0.items = [
                .with {
                    $0.reportID = "1"
                    $0.outcome = .warned
                }
            ]
        }
        let decide = ServiceStep.making(
            ModerationMethods.decideReviews, ReviewHandlers.decide
        ) {
            $0.items = [
                .with {
                    $0.reviewID = "1"
                    $0.decision = .approved
                }
            ]
        }
        return [
            [(decide, false)],
            [(resolve, false), (report, true)] + once(resolve) + [
                (report, true), (resolve, false),
            ],
            [(reinstate, false)] + once(suspend(.limited)) + once(suspend(.banned))
                + once(reinstate),
            once(suspend(.suspended, endSessions: true)),
        ]
    }

    private static var appStories: [Story] {
        let create = ServiceStep.making(AppMethods.createApp, AppHandlers.create) { $0.appID = 9 }
        let delete = ServiceStep.making(
            AppMethods.deleteApp,
            { request, call, violations in AppHandlers.delete(request, call, &violations) {} }
        ) { $0.appID = 9 }
        let rename = ServiceStep.making(AppMethods.updateApp, AppHandlers.update) {
            $0.name = "mine"
        }
        let settings = ServiceStep.making(AppMethods.updateApp, AppHandlers.update) {
            $0.settings = AppSettingsMessage()
            $0.settings?.checksFriendshipOnSend = true
        }
        let client = ServiceStep.making(
            AppMethods.registerClientApp, ClientAppHandlers.registerClientApp
        ) { ($0.clientAppID, $0.name) = ("reader", "Other") }
        let define = ServiceStep.making(AppMethods.definePermissions, ClientAppHandlers.define) {
            $0.items = [permission("see_level")]
        }
        let fields = ServiceStep.making(
            AppMethods.defineCustomFields, CustomFieldHandlers.define
        ) { $0.items = [field("Note")] }
        let retire = ServiceStep.making(
            AppMethods.retireCustomField, CustomFieldHandlers.retire
        ) { ($0.owner, $0.key) = (.friend, "Note") }
        let accounts = ServiceStep.making(AccountMethods.deleteAccounts, deleteAccounts) {
            $0.userIDs = ["B", "unknown"]
        }
        return [
            [(create, true)] + once(delete), once(rename), once(settings), once(client),
            once(define), [(retire, false)] + once(fields) + once(retire) + once(fields),
            once(accounts),
        ]
    }
}

extension ServiceStep {
    /// The step of a request that `edit` fills.
    fileprivate static func making<Request: WriteRequest, Response: WriteResponse>(
        _ method: Protobuf.Method<Request, Response>,
        _ handler: @escaping (Request, Call, inout Violations) -> Work<Response>,
        _ edit: (inout Request) -> Void
    ) -> ServiceStep {
        var request = Request()
        edit(&request)
        return ServiceStep(method, request, handler)
    }
}
