import Memory
import Protobuf
import RelationAPI
import RelationModel
import Testing

@testable import RelationService

/// A call that reads, with the longest request that the contract allows, or its usual one where
/// that asks for more.
struct SizedCall: Sendable, CustomTestStringConvertible {
    let path: String
    let size: ReadSize
    /// The request.
    let bytes: [UInt8]
    /// Whether the bytes show that it asks for more than so many rows.
    let asksForMore: @Sendable (_ rows: Int) -> Bool

    var testDescription: String { path }

    private init<Request: SizedReadRequest, Response: CodedMessage>(
        _ method: Protobuf.Method<Request, Response>, _ change: (inout Request) -> Void = { _ in }
    ) throws {
        var request = Request()
        change(&request)
        let bytes = try ReadService.bytes(method, request)
        path = method.path
        size = request.readSize
        self.bytes = bytes
        asksForMore = { rows in
            bytes.withUnsafeBytes { Request.asks(forMoreThan: rows, in: $0) }
        }
    }

    /// - Parameters:
    ///   - method: The call as the service reads it: with views of the request's bytes.
    ///   - plain: The same call with values.
    private init<Request: SizedReadRequest, Plain: CodedMessage, Response, PlainResponse>(
        _ method: Protobuf.Method<Request, Response>,
        like plain: Protobuf.Method<Plain, PlainResponse>, _ change: (inout Plain) -> Void
    ) throws {
        var request = Plain()
        change(&request)
        let bytes = try Arena.temporary { (arena) throws(CodecError) in
            try plain.requestCoder.bytes(request, arena)
        }
        path = method.path
        size = try Arena.temporary { (arena) throws(CodecError) in
            try method.requestCoder.message(bytes, arena).readSize
        }
        self.bytes = bytes
        asksForMore = { rows in
            bytes.withUnsafeBytes { Request.asks(forMoreThan: rows, in: $0) }
        }
    }

    /// Every call that reads and is answered by one message.
    static let all = Result { try profiles() + friends() + lists() + apps() }

    private static func names(_ count: Int) -> [String] { (0..<count).map { "user\($0)" } }

    private static func profiles() throws -> [SizedCall] {
        [
            try SizedCall(ProfileMethods.getSelfProfile) { $0.userID = "ann" },
            try SizedCall(ProfileMethods.getProfiles) {
                $0.userID = "ann"
                $0.userIDs = names(100)
            },
            try SizedCall(ProfileMethods.findProfileByUniqueID) {
                $0.userID = "ann"
                $0.uniqueID = "unique"
            },
            try SizedCall(ProfileMethods.getVisibility) { $0.userID = "ann" },
            try SizedCall(ProfileMethods.findUsers) {
                $0.userID = "ann"
                $0.keyword = "u"
            },
            try SizedCall(ProfileMethods.getFindSettings) { $0.userID = "ann" },
            try SizedCall(ProfileMethods.getContactDigests) { $0.userID = "ann" },
            try SizedCall(ConsentMethods.listPermissions) {
                $0.userID = "ann"
                $0.clientAppID = "client"
            },
            try SizedCall(ConsentMethods.readUser) {
                $0.userID = "ann"
                $0.clientAppID = "client"
            },
            try SizedCall(ConsentMethods.listAppFriendsView) {
                $0.userID = "ann"
                $0.clientAppID = "client"
            },
            try SizedCall(PresenceMethods.getPresence) {
                $0.userID = "ann"
                $0.userIDs = names(Limits.presenceItems)
            },
        ]
    }

    private static func friends() throws -> [SizedCall] {
        [
            try SizedCall(FriendMethods.checkFriendsView, like: FriendMethods.checkFriends) {
                $0.userID = "ann"
                $0.userIDs = names(Limits.checkFriendsItems)
            },
            try SizedCall(FriendMethods.getFriends) {
                $0.userID = "ann"
                $0.userIDs = names(Limits.getFriendsItems)
            },
            try SizedCall(FriendMethods.getRelationsView, like: FriendMethods.getRelations) {
                $0.userID = "ann"
                $0.userIDs = names(Limits.relationItems)
            },
            try SizedCall(FriendMethods.listMutualFriends) {
                $0.userID = "ann"
                $0.otherUserID = "bob"
            },
            try SizedCall(FriendMethods.suggestFriends) { $0.userID = "ann" },
            try SizedCall(FriendMethods.listReverseFriends) { $0.userID = "ann" },
            try SizedCall(FriendMethods.getMutualFriendCounts) {
                $0.userID = "ann"
                $0.userIDs = names(Limits.mutualCountItems)
            },
            try SizedCall(FriendMethods.listDismissedSuggestions) { $0.userID = "ann" },
            try SizedCall(
                BlacklistMethods.checkBlacklistView, like: BlacklistMethods.checkBlacklist
            ) {
                $0.userID = "ann"
                $0.userIDs = names(Limits.blacklistItems)
            },
            try SizedCall(BlacklistMethods.canSendView, like: BlacklistMethods.canSend) {
                $0.userID = "ann"
                $0.userIDs = names(Limits.canSendItems)
            },
            try SizedCall(FollowMethods.checkFollows) {
                $0.userID = "ann"
                $0.userIDs = names(Limits.followItems)
            },
            try SizedCall(FollowMethods.getFollowCounts) {
                $0.userID = "ann"
                $0.userIDs = names(Limits.followItems)
            },
            try SizedCall(SubscriptionMethods.querySubscriptions) {
                $0.userID = "ann"
                $0.userIDs = names(Limits.subscriptionItems)
            },
        ]
    }

    private static func lists() throws -> [SizedCall] {
        [
            try SizedCall(FriendMethods.listFriendsView) { $0.userID = "ann" },
            try SizedCall(FriendMethods.searchFriendsView) {
                $0.userID = "ann"
                $0.keyword = "a"
            },
            try SizedCall(FriendMethods.syncFriendsView) { $0.userID = "ann" },
            try SizedCall(ApplicationMethods.listPendencies) { $0.userID = "ann" },
            try SizedCall(ApplicationMethods.listApplications) { $0.userID = "ann" },
            try SizedCall(BlacklistMethods.listBlacklistView) { $0.userID = "ann" },
            try SizedCall(GroupMethods.getFriendGroups) { $0.userID = "ann" },
            try SizedCall(SubscriptionMethods.listSubscriptions) { $0.userID = "ann" },
            try SizedCall(FollowMethods.listFollowing) { $0.userID = "ann" },
            try SizedCall(FollowMethods.listFollowers) { $0.userID = "ann" },
            try SizedCall(FollowMethods.listMutualFollows) { $0.userID = "ann" },
            try SizedCall(InvitationMethods.listInvitations) { $0.userID = "ann" },
            try SizedCall(InvitationMethods.getInvitation) {
                $0.userID = "ann"
                $0.invitationCode = String(repeating: "0", count: 32)
            },
            try SizedCall(ChangeMethods.listChangesView) { $0.userID = "ann" },
            try SizedCall(ChangeMethods.getSequence) { $0.userID = "ann" },
        ]
    }

    private static func apps() throws -> [SizedCall] {
        [
            try SizedCall(AppMethods.getApp),
            try SizedCall(AppMethods.listApps),
            try SizedCall(AppMethods.getLimits) { $0.userID = "ann" },
            try SizedCall(AppMethods.listCustomFields),
            try SizedCall(AppMethods.listCredentials), try SizedCall(AppMethods.listOperatorKeys),
            try SizedCall(HookMethods.listHooks),
            try SizedCall(HookMethods.listHookFailures) { $0.hookID = "0123456789abcdef" },
            try SizedCall(AppMethods.listClientApps), try SizedCall(BackupMethods.listBackups),
            try SizedCall(AppMethods.listPermissionDefinitions),
            try SizedCall(AccountMethods.listAccounts),
            try SizedCall(ModerationMethods.listSuspensions),
            try SizedCall(ModerationMethods.listReports),
            try SizedCall(ModerationMethods.listReviews),
            try SizedCall(ModerationMethods.explainSend) {
                $0.fromUserID = "ann"
                $0.toUserID = "bob"
            },
            try SizedCall(ModerationMethods.explainAddFriend) {
                $0.fromUserID = "ann"
                $0.toUserID = "bob"
            },
            try SizedCall(ModerationMethods.explainFollow) {
                $0.fromUserID = "ann"
                $0.toUserID = "bob"
            },
            try SizedCall(ModerationMethods.explainBlock) {
                $0.fromUserID = "ann"
                $0.toUserID = "bob"
            },
            try SizedCall(ModerationMethods.explainAcceptInvitation) {
                $0.fromUserID = "ann"
                $0.invitationID = String(repeating: "0", count: 32)
            },
            try SizedCall(ModerationMethods.explainCheckFriend) {
                $0.fromUserID = "ann"
                $0.toUserID = "bob"
            },
            try SizedCall(ModerationMethods.explainProfile) {
                $0.fromUserID = "ann"
                $0.toUserID = "bob"
            },
            try SizedCall(ChangeMethods.explainEvent) {
                $0.fromUserID = "ann"
                $0.toUserID = "bob"
                $0.sequence = 1
            },
            try SizedCall(ModerationMethods.explainUpdateProfile) { $0.fromUserID = "ann" },
            try SizedCall(ModerationMethods.explainRespond) {
                $0.fromUserID = "ann"
                $0.toUserID = "bob"
            },
            try SizedCall(AccountMethods.checkAccounts) {
                $0.userIDs = names(Limits.accountItems)
            },
            try SizedCall(AccountMethods.getDeletion) { $0.deletionID = DeletionID.text(1) },
            try SizedCall(MaintenanceMethods.getStats),
            try SizedCall(MaintenanceMethods.listHistory),
            try SizedCall(MaintenanceMethods.listAuditRecords),
            try SizedCall(ChangeMethods.listConsumers),
        ]
    }
}
