import Protobuf
import RelationAPI
import RelationChanges
import RelationModel
import RelationSuite

@testable import RelationCalls
@testable import RelationService

// The calls that the random histories of ``next()`` lack: those about apps, and imports.
extension ServiceHistory {
    /// A call about apps, their credentials and definitions, or about presence.
    mutating func administration(_ board: PresenceBoard) -> ServiceStep {
        switch number(17) {
        case 0: createApp()
        case 1: deleteApp()
        case 2: createCredential()
        case 3: createOperatorKey()
        case 4: revokeKey()
        case 5: rotateAppSecret()
        case 6: defineCustomField()
        case 7: retireCustomField()
        case 8: registerClientApp()
        case 9: definePermission()
        case 10: revokeSessions()
        case 11: consumer()
        case 12...15: hookCall(randomness())
        default: reportPresence(board)
        }
    }

    // MARK: Apps

    private mutating func createApp() -> ServiceStep {
        var request = CreateAppRequest()
        request.appID = [0, 8, 9][number(3)]
        return ServiceStep(AppMethods.createApp, request, AppHandlers.create)
    }

    private mutating func deleteApp() -> ServiceStep {
        var request = DeleteAppRequest()
        request.appID = [8, 9, 10][number(3)]
        return ServiceStep(
            AppMethods.deleteApp, request,
            { request, call, violations in AppHandlers.delete(request, call, &violations) {} })
    }

    // MARK: Credentials

    /// Randomness of so few values that ids meet.
    private mutating func randomness() -> Randomness {
        let byte = UInt8(number(4))
        return Randomness { count in [UInt8](repeating: byte, count: count) }
    }

    private mutating func createCredential() -> ServiceStep {
        var request = CreateCredentialRequest()
        request.name = "key"
        request.scopes = [.read]
        let randomness = randomness()
        return ServiceStep(
            AppMethods.createCredential, request,
            { request, call, violations in
                CredentialHandlers.create(request, call, &violations, randomness)
            })
    }

    /// Ends a key of the app or of an operator: the id decides which.
    private mutating func revokeKey() -> ServiceStep {
        let id = randomness().text(bytes: 8)
        guard id.hasPrefix("00") || id.hasPrefix("01") else {
            var request = RevokeOperatorKeyRequest()
            request.credentialID = id
            return ServiceStep(AppMethods.revokeOperatorKey, request, OperatorKeyHandlers.revoke)
        }
        var request = RevokeCredentialRequest()
        request.credentialID = id
        return ServiceStep(AppMethods.revokeCredential, request, CredentialHandlers.revoke)
    }

    private mutating func createOperatorKey() -> ServiceStep {
        var request = CreateOperatorKeyRequest()
        request.name = "key"
        let randomness = randomness()
        return ServiceStep(
            AppMethods.createOperatorKey, request,
            { request, call, violations in
                OperatorKeyHandlers.create(request, call, &violations, randomness)
            })
    }

    private mutating func revokeSessions() -> ServiceStep {
        var request = RevokeUserSessionsRequest()
        request.userIDs = list { $0.other() }
        request.beforeTimeMs = Int64(number(3))
        return ServiceStep(AccountMethods.revokeUserSessions, request, SessionHandlers.revoke)
    }

    /// A secret that the server makes, or one that the app brings along.
    private mutating func rotateAppSecret() -> ServiceStep {
        let randomness = randomness()
        if randomness.text(bytes: 1) == "03" {
            var request = ImportAppSecretRequest()
            request.appID = 7
            request.secret = String(repeating: "s", count: 64)
            request.oldExpireTimeMs = 0
            return ServiceStep(
                AppMethods.importAppSecret, request, CredentialHandlers.importSecret)
        }
        var request = RotateAppSecretRequest()
        request.oldExpireTimeMs = 0
        return ServiceStep(
            AppMethods.rotateAppSecret, request,
            { request, call, violations in
                CredentialHandlers.rotate(request, call, &violations, randomness)
            })
    }

    // MARK: Definitions

    private mutating func defineCustomField() -> ServiceStep {
        var request = DefineCustomFieldsRequest()
        request.items = list { history in
            var field = CustomFieldMessage()
            field.owner = [.friend, .profile][history.number(2)]
            field.key = ["Note", "Size"][history.number(2)]
            field.valueType = field.key == "Note" ? .string : .uint64
            return field
        }
        return ServiceStep(AppMethods.defineCustomFields, request, CustomFieldHandlers.define)
    }

    private mutating func retireCustomField() -> ServiceStep {
        var request = RetireCustomFieldRequest()
        request.owner = [.friend, .profile][number(2)]
        request.key = ["Note", "Size", "None"][number(3)]
        return ServiceStep(AppMethods.retireCustomField, request, CustomFieldHandlers.retire)
    }

    private mutating func registerClientApp() -> ServiceStep {
        var request = RegisterClientAppRequest()
        request.clientAppID = ["reader", "writer"][number(2)]
        request.name = ["one", "two"][number(2)]
        return ServiceStep(
            AppMethods.registerClientApp, request, ClientAppHandlers.registerClientApp)
    }

    private mutating func definePermission() -> ServiceStep {
        var level = PermissionDefinition()
        level.name = "read_level"
        level.kind = .extended
        level.fields = ["level"]
        level.lifetimeMs = [30_000, 60_000][number(2)]
        var request = DefinePermissionsRequest()
        request.items = [level]
        return ServiceStep(AppMethods.definePermissions, request, ClientAppHandlers.define)
    }

    // MARK: Presence

    private mutating func reportPresence(_ board: PresenceBoard) -> ServiceStep {
        var request = ReportPresenceRequest()
        request.items = list { history in
            var item = PresenceReport()
            item.userID = history.other()
            item.deviceID = history.number(4) == 0 ? "desk" : "phone"
            item.platform = ["", "ios"][history.number(2)]
            let isOnline = history.number(2) == 0
            item.online = isOnline
            item.leaseSeconds = isOnline ? 120 : 0
            return item
        }
        return ServiceStep(
            PresenceMethods.reportPresence, request,
            { request, call, violations in
                PresenceHandlers.report(request, call, &violations, board)
            })
    }

    // MARK: Imports

    mutating func importedFriend() -> ImportFriendsRequest {
        var row = FriendRow()
        row.userID = other()
        row.friendUserID = other()
        row.bothWays = number(2) == 0
        if number(2) == 0 { row.remark = text() }
        if number(2) == 0 {
            var groups = StringList()
            groups.values = [[], ["work"], ["home"], ["work", "home"]][number(4)]
            row.groups = groups
        }
        if number(3) == 0 { row.addTimeMs = World.start + Int64(number(1_000)) }
        if number(3) == 0 { row.starred = number(2) == 0 }
        if number(3) == 0 { row.pinOrder = Int32(number(4) - 1) }
        if number(3) == 0 { row.muteUntilMs = Int64(number(3)) }
        if number(3) == 0 { row.ignored = number(2) == 0 }
        var request = ImportFriendsRequest()
        request.row = row
        request.notify = number(2) == 0
        return request
    }

    mutating func importedBlacklistEntry() -> ImportBlacklistsRequest {
        var row = BlacklistRow()
        row.userID = other()
        row.blockedUserID = other()
        if number(2) == 0 { row.addTimeMs = World.start + Int64(number(1_000)) }
        var request = ImportBlacklistsRequest()
        request.row = row
        request.notify = number(2) == 0
        return request
    }

    mutating func importedFollow() -> ImportFollowsRequest {
        var row = FollowRow()
        row.userID = other()
        row.followedUserID = other()
        if number(2) == 0 { row.followTimeMs = World.start + Int64(number(1_000)) }
        var request = ImportFollowsRequest()
        request.row = row
        request.notify = number(2) == 0
        return request
    }

    mutating func importedProfile() -> ImportProfilesRequest {
        var row = ProfileRow()
        row.userID = other()
        row.profile = Profile()
        row.profile?.nick = text()
        if number(2) == 0 { row.profile?.uniqueID = "u\(number(4))" }
        if number(2) == 0 { row.updateMask = FieldMask(["nick", "unique_id"]) }
        return ImportProfilesRequest.with { $0.row = row }
    }

    /// The account of a user that the history does not know.
    mutating func importedAppRow() -> ImportAppRequest {
        var account = ExportedAccount()
        account.userID = "imported\(number(10))"
        account.createTimeMs = World.start
        return ImportAppRequest.with { $0.row = ExportAppResponse(.account(account)) }
    }

    mutating func importedAccount() -> ImportAccountsRequest {
        var row = AccountRow()
        row.userID = other()
        row.nick = text()
        var request = ImportAccountsRequest()
        request.row = row
        return request
    }
}
