import Foundation
import Protobuf
import RelationAPI
import Testing

/// Messages of every call cross to Google's protobuf and back, as bytes and as JSON.
@Suite struct ForeignPeerTests {
    private static let count = 25

    /// Recodes bytes through a Swift message.
    private typealias Recoder = @Sendable ([UInt8]) throws(CodecError) -> [UInt8]

    private static func recoder<M: CodedMessage>(_ coder: Coder<M>) -> Recoder {
        { (bytes) throws(CodecError) in
            try Arena.temporary { (arena) throws(CodecError) in
                try coder.bytes(coder.message(bytes, arena), arena)
            }
        }
    }

    private static func recoders<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>
    ) -> [(schema: Schema, recode: Recoder)] {
        [
            (Request.schema, recoder(method.requestCoder)),
            (Response.schema, recoder(method.responseCoder)),
        ]
    }

    /// The calls with their types, which the table of calls no longer has.
    private static let typed: [String: [(schema: Schema, recode: Recoder)]] = Dictionary(
        grouping: [
            recoders(FriendMethods.addFriends), recoders(FriendMethods.deleteFriends),
            recoders(FriendMethods.checkFriends), recoders(FriendMethods.listFriends),
            recoders(FriendMethods.getFriends), recoders(FriendMethods.updateFriends),
            recoders(FriendMethods.deleteAllFriends), recoders(FriendMethods.syncFriends),
            recoders(FriendMethods.getRelations), recoders(FriendMethods.listMutualFriends),
            recoders(FriendMethods.suggestFriends),
            recoders(FriendMethods.searchFriends),
            recoders(ApplicationMethods.respondToApplications),
            recoders(ApplicationMethods.listPendencies),
            recoders(ApplicationMethods.deletePendencies),
            recoders(ApplicationMethods.reportPendencies),
            recoders(ApplicationMethods.listApplications),
            recoders(ApplicationMethods.withdrawApplications),
            recoders(BlacklistMethods.addToBlacklist),
            recoders(BlacklistMethods.removeFromBlacklist),
            recoders(BlacklistMethods.listBlacklist),
            recoders(BlacklistMethods.checkBlacklist), recoders(BlacklistMethods.canSend),
            recoders(GroupMethods.createFriendGroups), recoders(GroupMethods.deleteFriendGroups),
            recoders(GroupMethods.addFriendsToGroup),
            recoders(GroupMethods.removeFriendsFromGroup),
            recoders(GroupMethods.renameFriendGroup), recoders(GroupMethods.getFriendGroups),
            recoders(ProfileMethods.getSelfProfile), recoders(ProfileMethods.getProfiles),
            recoders(ProfileMethods.updateProfile),
            recoders(ProfileMethods.findProfileByUniqueID),
            recoders(ProfileMethods.setVisibility), recoders(ProfileMethods.getVisibility),
            recoders(ChangeMethods.listChanges), recoders(ChangeMethods.getSequence),
            recoders(AccountMethods.importAccounts),
            recoders(AccountMethods.listAccounts), recoders(AccountMethods.checkAccounts),
            recoders(AccountMethods.deleteAccounts), recoders(AccountMethods.getDeletion),
            recoders(MaintenanceMethods.importFriends), recoders(MaintenanceMethods.exportApp),
            recoders(MaintenanceMethods.checkIntegrity), recoders(MaintenanceMethods.getStats),
            recoders(AppMethods.createApp), recoders(AppMethods.getApp),
            recoders(AppMethods.updateApp), recoders(AppMethods.listApps),
            recoders(AppMethods.deleteApp), recoders(AppMethods.createCredential),
            recoders(AppMethods.listCredentials), recoders(AppMethods.revokeCredential),
            recoders(AppMethods.rotateAppSecret), recoders(AppMethods.defineCustomFields),
            recoders(AppMethods.listCustomFields), recoders(AppMethods.retireCustomField),
            recoders(AppMethods.getLimits),
            recoders(AppMethods.registerClientApp), recoders(AppMethods.listClientApps),
            recoders(AppMethods.definePermissions),
            recoders(AppMethods.listPermissionDefinitions),
            recoders(ChangeMethods.watch), recoders(ConsentMethods.grantPermissions),
            recoders(ConsentMethods.declinePermissions),
            recoders(ConsentMethods.revokePermissions),
            recoders(ConsentMethods.listPermissions),
            recoders(ConsentMethods.readUser), recoders(ConsentMethods.listAppFriends),
            recoders(SubscriptionMethods.subscribe), recoders(SubscriptionMethods.unsubscribe),
            recoders(SubscriptionMethods.querySubscriptions),
            recoders(SubscriptionMethods.listSubscriptions),
            recoders(PresenceMethods.reportPresence), recoders(PresenceMethods.getPresence),
            // The forms that the service has of the same messages.
            recoders(FriendMethods.checkFriendsView), recoders(FriendMethods.listFriendsView),
            recoders(FriendMethods.searchFriendsView), recoders(FriendMethods.syncFriendsView),
            recoders(BlacklistMethods.listBlacklistView),
            recoders(BlacklistMethods.checkBlacklistView),
            recoders(BlacklistMethods.canSendView), recoders(ChangeMethods.listChangesView),
            recoders(ChangeMethods.watchView), recoders(ConsentMethods.listAppFriendsView),
        ].flatMap { $0 }, by: \.schema.fullName)

    /// Both forms of a message have the fields of the contract.
    @Test func theFormsOfAMessageHaveOneSchema() {
        for (name, forms) in Self.typed {
            #expect(Set(forms.map(\.schema.description)).count == 1, "\(name)")
        }
    }

    @Test func everyMessageCrossesUnchanged() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        let calls = ServiceTable.all
        let types = calls.flatMap { [$0.request.fullName, $0.response.fullName] }
        #expect(Set(types) == Set(Self.typed.keys), "a call is missing in this test")

        let samples = try ForeignPeer.samples(of: types, count: Self.count, seed: seed)
        #expect(samples.count == types.count * Self.count)
        let requests = Dictionary(
            calls.map { ($0.request.fullName, $0) }, uniquingKeysWith: { first, _ in first })
        let responses = Dictionary(
            calls.map { ($0.response.fullName, $0) }, uniquingKeysWith: { first, _ in first })
        var printed: [ForeignPeer.Sample] = []
        for sample in samples {
            let bytes = [UInt8](try #require(Data(base64Encoded: sample.bytes)))
            for (_, recode) in try #require(Self.typed[sample.type]) {
                #expect(try recode(bytes) == bytes, "seed \(seed): \(sample.type) \(sample.json)")
            }
            if let call = requests[sample.type] {
                #expect(
                    try call.encodeRequest(sample.json) == bytes,
                    "seed \(seed): \(sample.type) \(sample.json)")
            }
            if let call = responses[sample.type] {
                let json = try call.decodeResponse(bytes)
                printed.append(
                    ForeignPeer.Sample(type: sample.type, bytes: sample.bytes, json: json))
            }
        }
        #expect(try ForeignPeer.differences(in: printed) == "", "seed \(seed)")
    }
}
