import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationChanges
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// A zero that is a fact is set in an answer, and a zero that acts must be given in a request.
@Suite struct ZeroTests {
    /// A world in which A has nothing with B, and was asked by C.
    private func harness() throws -> ServiceHarness {
        let world = try World("A", "B", "C")
        try world.allow(.needConfirm, for: "A")
        try #require(try world.add("A", to: "C").code == .pending)
        return ServiceHarness(world)
    }

    /// The answer of a read in JSON.
    private func json<Request: ReadRequest, Response: CodedMessage>(
        _ harness: ServiceHarness, _ request: Request,
        _ handler: (Request, Call, inout Violations) -> Reading<Response>
    ) throws -> String {
        var text = ""
        try harness.read(request, handler) { answer in
            let answer = try #require(answer)
            text = try Arena.temporary { (arena) throws(CodecError) in try answer.json(arena) }
        }
        return text
    }

    private static let success = #""code":"FRIEND_STATUS_SUCC""#

    @Test func aRelationThatIsNoneIsReported() throws {
        let harness = try harness()
        var check = CheckFriendsRequestView()
        (check.userID, check.userIDs) = ("A", ["B", "A", "unknown", " bad"])
        try harness.read(check) { answer in
            let results = try #require(answer).results
            #expect(
                results.map(\.code)
                    == [.success, .success, .accountNotFound, .invalidParameter])
            let none = FriendRelation.none
            #expect(results.map(\.relation) == [none, none, nil, nil])
            #expect(
                results.map(\.reason)
                    == [
                        .none, .none, Reason.FriendCheck.accountNotExist,
                        Reason.FriendCheck.userIDIllegal,
                    ])
            #expect(results.map { String($0.info) } == results.map(\.reason.info.description))
        }
        check.userIDs = ["B"]
        try harness.read(check) { answer in
            let answer = try #require(answer)
            let text = try Arena.temporary { (arena) throws(CodecError) in try answer.json(arena) }
            #expect(text.contains(Self.success))
            #expect(text.contains(#""relation":"FRIEND_RELATION_NONE""#))
        }

        var blacklist = CheckBlacklistRequestView()
        (blacklist.userID, blacklist.userIDs) = ("A", ["B", "unknown"])
        try harness.read(blacklist) { answer in
            let results = try #require(answer).results
            #expect(results.map(\.code) == [.success, .accountNotFound])
            #expect(results.map(\.relation) == [BlacklistRelation.none, nil])
            #expect(results[1].reason == Reason.BlacklistCheck.accountNotExist)
        }
        var relations = GetRelationsRequestView()
        (relations.userID, relations.userIDs) = ("A", ["B", "C", "unknown"])
        try harness.read(relations) { answer in
            let cards = try #require(answer).results
            #expect(cards.map(\.code) == [.success, .success, .accountNotFound])
            #expect(cards.map(\.relation) == [FriendRelation.none, FriendRelation.none, nil])
            #expect(cards[1].received?.status == .unhandled)
            #expect(cards[2].reason == Reason.RelationGet.accountNotExist)
        }
    }

    @Test func everyResultOfAReadHasItsCode() throws {
        let harness = try harness()
        let ids = ["B", "unknown", " bad"]
        var send = CanSendRequestView()
        (send.userID, send.userIDs) = ("A", ["B", "unknown", " bad"])
        try harness.read(send) { answer in
            let results = try #require(answer).results
            #expect(results.map(\.code) == [.success, .accountNotFound, .invalidParameter])
            #expect(results.map { String($0.info) } == results.map(\.reason.info.description))
            #expect(results[0].reason == .none && results[1].reason != .none)
        }
        var profiles = GetProfilesRequest()
        (profiles.userID, profiles.userIDs) = ("A", ids)
        try harness.read(profiles) { answer in
            let results = try #require(answer).results
            #expect(results.map(\.code) == [.success, .accountNotFound, .invalidParameter])
            #expect(results.map(\.info) == results.map(\.reason.info.description))
            #expect(results[1].reason == Reason.ProfileGet.accountNotExist)
        }
        var query = QuerySubscriptionsRequest()
        (query.userID, query.userIDs) = ("A", ids + ["A"])
        let stored = harness.world.profiles
        try harness.read(
            query, { SubscriptionHandlers.query($0, stored, PresenceBoard(), $1, &$2) }
        ) { answer in
            let results = try #require(answer).results
            #expect(
                results.map(\.code)
                    == [.success, .accountNotFound, .publisherInvalid, .publisherInvalid])
            #expect(
                results.map(\.reason)
                    == [
                        .none, Reason.SubscriptionQuery.accountNotExist,
                        Reason.SubscriptionQuery.userIDIllegal, Reason.SubscriptionQuery.oneself,
                    ])
        }
        let board = PresenceBoard()
        var presence = GetPresenceRequest()
        (presence.userID, presence.userIDs) = ("A", ids)
        try harness.read(presence, { PresenceHandlers.get($0, $1, &$2, board) }) { answer in
            let results = try #require(answer).results
            #expect(results.map(\.code) == [.success, .accountNotFound, .invalidParameter])
            #expect(results.map { $0.presence == nil } == [false, true, true])
            #expect(results[2].reason == Reason.PresenceGet.userIDIllegal)
        }
        var accounts = CheckAccountsRequest()
        accounts.userIDs = ids
        try harness.read(accounts, AccountHandlers.check) { answer in
            let results = try #require(answer).results
            #expect(results.map(\.code) == [.success, .success, .invalidParameter])
            #expect(results.map(\.status) == [.imported, .notImported, .unspecified])
            #expect(results[2].info == Reason.AccountCheck.userIDIllegal.info.description)
        }
        var friends = GetFriendsRequest()
        (friends.userID, friends.userIDs) = ("A", ids)
        let text = try json(harness, friends) { FriendHandlers.getFriends($0, stored, $1, &$2) }
        #expect(text.split(separator: #""code":"#).count == 4)
        #expect(text.contains(#""reason":"REASON_SNS_FRIEND_GET_LIST_FRIEND_NOT_EXIST""#))
        var groups = GetFriendGroupsRequest()
        (groups.userID, groups.names) = ("A", ["none", ""])
        try harness.read(groups, { GroupHandlers.get($0, stored, $1, &$2) }) { answer in
            let results = try #require(answer).results
            #expect(results.map(\.code) == [.invalidParameter, .invalidParameter])
            #expect(
                results.map(\.reason)
                    == [Reason.GroupUpdate.groupNotExist, Reason.GroupUpdate.nameIllegal])
        }
    }

    @Test func aStateThatIsZeroIsSent() throws {
        let harness = try harness()
        var pendencies = ListPendenciesRequest()
        pendencies.userID = "A"
        #expect(
            try json(harness, pendencies, ApplicationHandlers.list)
                .contains(#""status":"APPLICATION_STATUS_UNHANDLED""#))
        var visibility = GetVisibilityRequest()
        visibility.userID = "A"
        #expect(
            try json(harness, visibility, ProfileHandlers.getVisibility)
                .contains(#""userLevel":"VISIBILITY_NOT_SET""#))
        func findMutual(
            _ request: ListMutualFriendsRequest, _ call: Call, _ violations: inout Violations
        ) -> Reading<ListMutualFriendsResponse> {
            FriendHandlers.listMutualFriends(
                request, harness.world.profiles, call, &violations, harness.world.memory)
        }
        var mutual = ListMutualFriendsRequest()
        (mutual.userID, mutual.otherUserID) = ("A", "B")
        #expect(
            try json(harness, mutual, findMutual).contains(Self.success))
        try harness.read(mutual, findMutual) {
            #expect($0?.otherUserID == "B" && $0?.userIDs == [])
        }
        for (other, reason) in [
            ("unknown", Reason.FriendMutual.accountNotExist), ("A", Reason.FriendMutual.oneself),
            (" bad", Reason.FriendMutual.userIDIllegal),
        ] {
            mutual.otherUserID = other
            try harness.read(mutual, findMutual) {
                #expect($0?.reason == reason && $0?.info == reason.info.description)
                #expect($0?.otherUserID == other && $0?.code != .success)
            }
        }
    }

    // MARK: Requests

    /// Without the field a device would go offline that the caller only forgot to describe.
    @Test func aReportOfPresenceSaysWhetherTheDeviceIsOnline() throws {
        let harness = try harness()
        let board = PresenceBoard()
        var request = ReportPresenceRequest()
        request.items = [nil, false, true].map { online in
            var report = PresenceReport()
            (report.userID, report.deviceID, report.leaseSeconds) = ("A", "\(online as Any)", 60)
            report.online = online
            return report
        }
        let answer = try harness.write(PresenceMethods.reportPresence, request) {
            PresenceHandlers.report($0, $1, &$2, board)
        }.get()
        #expect(answer.results.map(\.code) == [.invalidParameter, .success, .success])
        #expect(answer.results.map(\.changed) == [false, true, true])
        #expect(answer.results[0].reason == Reason.PresenceReport.onlineIllegal)
        #expect(answer.results[0].info == "Err_PresenceReport_Online_Illegal")
        #expect(answer.applied)
    }

    @Test func theEndOfTheOldSecretMustBeGiven() throws {
        let harness = try harness()
        try harness.register()
        func rotate(_ time: Int64?) throws -> RotateAppSecretResponse {
            var request = RotateAppSecretRequest()
            request.oldExpireTimeMs = time
            return try harness.write(AppMethods.rotateAppSecret, request) {
                CredentialHandlers.rotate($0, $1, &$2, .system)
            }.get()
        }
        let now = harness.world.now.milliseconds
        for time in [nil, -1, now + Limits.oldSecretMilliseconds + 1] as [Int64?] {
            let error = #expect(throws: RPCError.self) { _ = try rotate(time) }
            #expect(error?.code == .invalidArgument)
            #expect(try error?.unpacked().fields == ["old_expire_time_ms"])
        }
        #expect(try rotate(0).secrets.map(\.expireTimeMs) == [0])
        let second = try rotate(now + 1_000)
        #expect(second.applied && second.secrets.map(\.expireTimeMs) == [0, now + 1_000])
        #expect(try rotate(0).secrets.map(\.expireTimeMs) == [0], "the old one ends at once")
    }
}
