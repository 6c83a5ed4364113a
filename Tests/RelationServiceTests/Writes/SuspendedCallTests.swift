import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// Calls in the name of a suspended user, and those that suspend it.
@Suite struct SuspendedCallTests {
    private func harness(_ level: SuspensionLevel, until endMs: Int64 = 0) throws -> ServiceHarness
    {
        let world = try World("A", "B")
        #expect(try world.suspend("A", level, until: endMs) == .success)
        return ServiceHarness(world)
    }

    /// The reason of an error, or nil if the call is answered.
    private func refusal<Request: WriteRequest, Response: WriteResponse>(
        _ harness: ServiceHarness, _ method: Protobuf.Method<Request, Response>,
        _ handler: (Request, Call, inout Violations) -> Work<Response>,
        _ edit: (inout Request) -> Void
    ) throws -> RPCError.Details? {
        var request = Request()
        edit(&request)
        switch try harness.write(method, request, handler) {
        case .success: return nil
        case .failure(let error): return try error.unpacked()
        }
    }

    /// Which of a block, a profile, a status, an addition, a forced one, a follow, an invitation
    /// and the use of one is refused.
    private func refused(_ harness: ServiceHarness) throws -> [Bool] {
        [
            try refusal(harness, BlacklistMethods.addToBlacklist, BlacklistHandlers.add) {
                ($0.userID, $0.userIDs) = ("A", ["B"])
            },
            try refusal(harness, ProfileMethods.updateProfile, ProfileHandlers.update) {
                $0.userID = "A"
                $0.profile = Profile.with { $0.nick = "Ann" }
            },
            try refusal(harness, PresenceMethods.setStatus, PresenceHandlers.setStatus) {
                ($0.userID, $0.text) = ("A", "here")
            },
            try add(harness), try add(harness, force: harness.isAdmin),
            try refusal(harness, FollowMethods.follow, FollowHandlers.follow) {
                ($0.userID, $0.userIDs) = ("A", ["B"])
            },
            try refusal(
                harness, InvitationMethods.createInvitation,
                { InvitationHandlers.create($0, $1, &$2, .system) },
                {
                    ($0.userID, $0.maxUses, $0.expirySeconds) = ("A", 1, 60)
                }),
            try refusal(harness, InvitationMethods.acceptInvitation, InvitationHandlers.accept) {
                ($0.userID, $0.invitationCode) = ("A", "no code")
            },
        ].map { details in
            if let details { #expect(details.reason == "ACCOUNT_SUSPENDED") }
            return details != nil
        }
    }

    private func add(_ harness: ServiceHarness, force: Bool = false) throws -> RPCError.Details? {
        try refusal(harness, FriendMethods.addFriends, FriendHandlers.addFriends) {
            var friend = AddFriend()
            friend.userID = "B"
            ($0.userID, $0.items, $0.force) = ("A", [friend], force)
        }
    }

    @Test func aUserIsRefusedByItsLevel() throws {
        for level in [SuspensionLevel.limited, .suspended, .banned] {
            let harness = try harness(level)
            harness.isAdmin = false
            let all = [true, true, true, true, true, true, true]
            #expect(try refused(harness) == [level != .limited] + all)
        }
    }

    /// An administrator acts for the user, but reaches out to others only by `force`.
    @Test func anAdministratorIsRefusedOnlyWhereItReachesOut() throws {
        for level in [SuspensionLevel.limited, .suspended, .banned] {
            let harness = try harness(level)
            #expect(
                try refused(harness) == [false, false, false, true, false, true, true, true])
        }
    }

    @Test func theRefusalTellsLevelAndEndAndEndsByTheClock() throws {
        let end = World.start + 5_000
        let harness = try harness(.suspended, until: end)
        harness.isAdmin = false
        let details = try #require(try add(harness))
        #expect(details.metadata == ["level": "2", "end_time_ms": "\(end)"])
        harness.world.advance(milliseconds: end - harness.world.now.milliseconds)
        #expect(try add(harness) == nil)
    }

    @Test func aCallOfOthersAboutTheUserGoesOn() throws {
        let harness = try harness(.banned)
        harness.isAdmin = false
        let blocked = try refusal(
            harness, BlacklistMethods.addToBlacklist, BlacklistHandlers.add
        ) { ($0.userID, $0.userIDs) = ("B", ["A"]) }
        #expect(blocked == nil)
    }

    @Test func aRepeatedRequestIsAnsweredAsTheFirstTime() throws {
        let harness = ServiceHarness(try World("A", "B"))
        harness.isAdmin = false
        var request = AddToBlacklistRequest()
        (request.userID, request.userIDs) = ("A", ["B"])
        request.options = WriteOptions.with { $0.requestID = "r" }
        let (method, handler) = (BlacklistMethods.addToBlacklist, BlacklistHandlers.add)
        #expect(try harness.write(method, request, handler).get().applied)
        #expect(try harness.world.suspend("A", .suspended) == .success)
        #expect(try harness.write(method, request, handler).get().replayed)
    }

    // MARK: Suspending

    private func suspend(
        _ harness: ServiceHarness, endSessions: Bool = false, _ items: SuspensionItem...
    ) throws -> SuspendAccountsResponse {
        var request = SuspendAccountsRequest()
        (request.items, request.endSessions) = (items, endSessions)
        return try harness.write(
            ModerationMethods.suspendAccounts, request
        ) { ModerationHandlers.suspend($0, $1, &$2, wake: {}) }.get()
    }

    private func item(
        _ user: String, _ level: SuspensionLevel, _ edit: (inout SuspensionItem) -> Void = { _ in }
    ) -> SuspensionItem {
        SuspensionItem.with {
            ($0.userID, $0.level) = (user, level)
            edit(&$0)
        }
    }

    @Test func eachItemHasTheFirstReasonThatApplies() throws {
        let harness = ServiceHarness(try World("A", "B"))
        let now = harness.world.now.milliseconds
        let limit = Limits.suspensionReasonBytes
        let response = try suspend(
            harness, item(" bad", .unspecified), item("A", .unspecified),
            item("A1", SuspensionLevel(rawValue: 4)) { $0.reasonText = "x" },
            item("A2", .limited) {
                $0.reasonText = String(repeating: "x", count: limit + 1)
                $0.endTimeMs = now
            },
            item("A3", .limited) { $0.endTimeMs = now }, item("A4", .limited) { $0.endTimeMs = -1 },
            item("A5", .banned) { $0.endTimeMs = now }, item("ghost", .limited),
            item("B", .limited) { $0.reasonText = String(repeating: "x", count: limit) },
            item("B", .banned))
        typealias Reasons = Reason.AccountSuspend
        #expect(
            response.results.map(\.reason) == [
                Reasons.userIDIllegal, Reasons.levelIllegal, Reasons.levelIllegal,
                Reasons.reasonIllegal, Reasons.timeIllegal, Reasons.timeIllegal,
                Reasons.timeIllegal, Reasons.accountNotExist, .none, Reasons.duplicate,
            ])
        #expect(response.results.map(\.changed).filter(\.self).count == 1 && response.applied)
    }

    @Test func theSessionsEndWithTheSuspensionAndOnlyIfItIsAskedFor() throws {
        let harness = ServiceHarness(try World("A", "B"))
        func beforeMs() throws -> Int64 {
            try harness.world.read { (transaction) throws(StorageError) in
                try SessionRules.beforeMs(of: "A", app: harness.world.app, in: transaction)
            }
        }
        #expect(try suspend(harness, item("A", .suspended)).results[0].changed)
        #expect(try beforeMs() == 0)
        // The suspension is there already, and the moment of the sessions is new.
        #expect(try suspend(harness, endSessions: true, item("A", .suspended)).results[0].changed)
        #expect(try beforeMs() == harness.world.now.milliseconds)
    }

    @Test func aBannedUserIsFoundByAdministratorsAndItself() throws {
        let world = try World("A", "B")
        let harness = ServiceHarness(world)
        var update = UpdateProfileRequest()
        update.userID = "A"
        update.profile = Profile.with { $0.uniqueID = "ann1" }
        _ = try harness.write(ProfileMethods.updateProfile, update, ProfileHandlers.update).get()
        func finds(_ user: String) throws -> Bool {
            var request = FindProfileByUniqueIdRequest()
            (request.userID, request.uniqueID) = (user, "ann1")
            var code: ProfileStatus?
            try harness.read(request, ProfileHandlers.find) { code = $0?.code }
            return code == .success
        }
        for level in [SuspensionLevel.suspended, .banned] {
            #expect(try world.suspend("A", level) == .success)
            harness.isAdmin = false
            #expect(try finds("B") == (level == .suspended))
            #expect(try finds("A"))
            harness.isAdmin = true
            #expect(try finds("B"))
        }
    }
}
