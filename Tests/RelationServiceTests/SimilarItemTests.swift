import Protobuf
import RelationAPI
import RelationChanges
import RelationCore
import RelationModel
import RelationRuntime
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// Items are compared by the bytes of their ids and names.
///
/// Swift takes the sign of Kelvin for the letter K, so a malformed id could refuse the valid one
/// after it as an item that is given twice.
@Suite struct SimilarItemTests {
    private static let kelvin = "\u{212A}"

    typealias Kind = @Sendable (ServiceHarness, [String]) throws -> [String]

    static let kinds: [(String, Kind)] = [
        (
            "AddFriends",
            { harness, ids in
                try results(harness, FriendMethods.addFriends, FriendHandlers.addFriends) {
                    $0.userID = "A"
                    $0.items = ids.map { id in .with { $0.userID = id } }
                }
            }
        ),
        (
            "UpdateFriends",
            { harness, ids in
                try results(harness, FriendMethods.updateFriends, FriendHandlers.updateFriends) {
                    $0.userID = "A"
                    $0.items = ids.map { id in
                        .with {
                            $0.userID = id
                            $0.remark = "dear"
                        }
                    }
                }
            }
        ),
        (
            "DeleteFriends",
            { harness, ids in
                try results(harness, FriendMethods.deleteFriends, FriendHandlers.deleteFriends) {
                    $0.userID = "A"
                    $0.userIDs = ids
                }
            }
        ),
        (
            "RespondToApplications",
            { harness, ids in
                try results(
                    harness, ApplicationMethods.respondToApplications, ApplicationHandlers.respond
                ) {
                    $0.userID = "A"
                    $0.items = ids.map { id in
                        .with {
                            $0.userID = id
                            $0.responseType = .agree
                        }
                    }
                }
            }
        ),
        (
            "DeletePendencies",
            { harness, ids in
                try results(
                    harness, ApplicationMethods.deletePendencies, ApplicationHandlers.delete
                ) {
                    $0.userID = "A"
                    $0.pendencyType = .comeIn
                    $0.userIDs = ids
                }
            }
        ),
        (
            "WithdrawApplications",
            { harness, ids in
                try results(
                    harness, ApplicationMethods.withdrawApplications, ApplicationHandlers.withdraw
                ) {
                    $0.userID = "A"
                    $0.userIDs = ids
                }
            }
        ),
        (
            "AddToBlacklist",
            { harness, ids in
                try results(harness, BlacklistMethods.addToBlacklist, BlacklistHandlers.add) {
                    $0.userID = "A"
                    $0.userIDs = ids
                }
            }
        ),
        (
            "RemoveFromBlacklist",
            { harness, ids in
                try results(
                    harness, BlacklistMethods.removeFromBlacklist, BlacklistHandlers.remove
                ) {
                    $0.userID = "A"
                    $0.userIDs = ids
                }
            }
        ),
        (
            "DismissSuggestions",
            { harness, ids in
                try results(
                    harness, FriendMethods.dismissSuggestions, FriendHandlers.dismissSuggestions
                ) {
                    $0.userID = "A"
                    $0.userIDs = ids
                }
            }
        ),
        (
            "RestoreSuggestions",
            { harness, ids in
                try results(
                    harness, FriendMethods.restoreSuggestions, FriendHandlers.restoreSuggestions
                ) {
                    $0.userID = "A"
                    $0.userIDs = ids
                }
            }
        ),
        (
            "Follow",
            { harness, ids in
                try results(harness, FollowMethods.follow, FollowHandlers.follow) {
                    $0.userID = "A"
                    $0.userIDs = ids
                }
            }
        ),
        (
            "Unfollow",
            { harness, ids in
                try results(harness, FollowMethods.unfollow, FollowHandlers.unfollow) {
                    $0.userID = "A"
                    $0.userIDs = ids
                }
            }
        ),
        (
            "Subscribe",
            { harness, ids in
                try results(
                    harness, SubscriptionMethods.subscribe, SubscriptionHandlers.subscribe
                ) {
                    $0.userID = "A"
                    $0.expirySeconds = 600
                    $0.userIDs = ids
                }
            }
        ),
        (
            "Unsubscribe",
            { harness, ids in
                try results(
                    harness, SubscriptionMethods.unsubscribe, SubscriptionHandlers.unsubscribe
                ) {
                    $0.userID = "A"
                    $0.userIDs = ids
                }
            }
        ),
        (
            "AddFriendsToGroup",
            { harness, ids in
                try results(harness, GroupMethods.addFriendsToGroup, GroupHandlers.addFriends) {
                    $0.userID = "A"
                    $0.name = "one"
                    $0.userIDs = ids
                }
            }
        ),
        (
            "ReportPresence",
            { harness, ids in
                let board = PresenceBoard()
                return try results(
                    harness, PresenceMethods.reportPresence,
                    { PresenceHandlers.report($0, $1, &$2, board) },
                    {
                        $0.items = ids.map { id in
                            .with {
                                $0.userID = id
                                $0.deviceID = "phone"
                                $0.online = false
                            }
                        }
                    })
            }
        ),
        (
            "DeleteAccounts",
            { harness, ids in
                try results(
                    harness, AccountMethods.deleteAccounts,
                    { AccountHandlers.delete($0, $1, &$2, PresenceBoard(), wake: {}) },
                    { $0.userIDs = ids })
            }
        ),
        (
            "RevokeUserSessions",
            { harness, ids in
                try results(
                    harness, AccountMethods.revokeUserSessions, SessionHandlers.revoke,
                    { $0.userIDs = ids })
            }
        ),
        (
            "SuspendAccounts",
            { harness, ids in
                try results(
                    harness, ModerationMethods.suspendAccounts,
                    { ModerationHandlers.suspend($0, $1, &$2, wake: {}) },
                    {
                        $0.items = ids.map { id in
                            .with {
                                $0.userID = id
                                $0.level = .limited
                            }
                        }
                    })
            }
        ),
        (
            "ReinstateAccounts",
            { harness, ids in
                try results(
                    harness, ModerationMethods.reinstateAccounts, ModerationHandlers.reinstate,
                    { $0.userIDs = ids })
            }
        ),
    ]

    @Test(arguments: kinds)
    func aMalformedIDDoesNotRefuseAValidOneThatLooksLikeIt(
        _ call: String, _ results: Kind
    ) throws {
        let alone = try results(try ServiceHarness(World("A", "K")), ["K"])
        let both = try results(try ServiceHarness(World("A", "K")), [Self.kelvin, "K"])
        #expect(alone.count == 1 && both.count == 2 && both.first != both.last)
        #expect(both.last == alone.first)
    }

    @Test func theMembersOfANewGroupAreComparedByBytes() throws {
        let harness = try ServiceHarness(World("A", "K"))
        #expect(try harness.world.add("K", to: "A") == .success)
        let request = CreateFriendGroupsRequest.with {
            $0.userID = "A"
            $0.names = ["one"]
            $0.userIDs = [Self.kelvin, "K"]
        }
        let response = try harness.write(
            GroupMethods.createFriendGroups, request, GroupHandlers.create
        ).get()
        #expect(response.results[0].members.map(\.code) == [.invalidParameter, .success])
    }

    @Test func onlyTheDeletedAccountHasADeletion() throws {
        let request = DeleteAccountsRequest.with { $0.userIDs = [Self.kelvin, "K"] }
        let response = try ServiceHarness(World("A", "K")).write(
            AccountMethods.deleteAccounts, request
        ) { AccountHandlers.delete($0, $1, &$2, PresenceBoard(), wake: {}) }.get()
        #expect(response.results.map(\.deletionID.isEmpty) == [true, false])
    }

    @Test func aTagIsComparedByItsBytes() throws {
        let harness = try ServiceHarness(World("A", "K"))
        #expect(try harness.world.add("K", to: "A") == .success)
        let tags = ["K", Self.kelvin].map { key in
            TagValue.with {
                $0.tag = "Tag_SNS_Custom_\(key)"
                $0.value = .text("x")
            }
        }
        let infos = try Self.results(
            harness, FriendMethods.updateFriends, FriendHandlers.updateFriends
        ) {
            $0.userID = "A"
            $0.items = [
                .with {
                    $0.userID = "K"
                    $0.tags = tags
                }
            ]
        }
        #expect(infos.first?.contains("Custom_Tag_Not_Exist") == true)
    }

    @Test func textsThatLookAlikeAreTwoKeys() {
        let texts = ["K", Self.kelvin, "caf\u{E9}", "cafe\u{301}", "K"].map(ExactText.init)
        #expect(Set(texts).count == 4)
        #expect(texts.sorted().map(\.text.utf8.count) == [1, 1, 6, 5, 3])
    }

    /// The results of a write, in short.
    private static func results<Request: ItemsRequest & WriteRequest, Item: ResultMessage>(
        _ harness: ServiceHarness, _ method: Protobuf.Method<Request, ItemsAnswer<Request, Item>>,
        _ handler: (Request, Call, inout Violations) -> Work<ItemsAnswer<Request, Item>>,
        _ edit: (inout Request) -> Void
    ) throws -> [String] {
        var request = Request()
        edit(&request)
        return try harness.write(method, request, handler).get().results.map {
            "\($0.code.map { $0.rawValue } ?? 0) \($0.reason.info)"
        }
    }
}
