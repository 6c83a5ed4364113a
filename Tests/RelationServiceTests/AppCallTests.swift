import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// The calls of an administrator: masks, limits by their names, and the entries for absent fields
/// that a client app gets.
@Suite struct AppCallTests {
    private func harness() throws -> ServiceHarness {
        let harness = ServiceHarness(try World("A"))
        try harness.register()
        return harness
    }

    // MARK: UpdateApp

    private func update(
        _ harness: ServiceHarness, _ edit: (inout UpdateAppRequest) -> Void
    ) throws -> UpdateAppResponse {
        var request = UpdateAppRequest()
        edit(&request)
        return try harness.write(AppMethods.updateApp, request, AppHandlers.update).get()
    }

    @Test func withoutAMaskAllSettingsThatAreSetAreChanged() throws {
        let harness = try harness()
        for (paths, applied) in [(nil, true), ([], false)] as [([String]?, Bool)] {
            let answer = try update(harness) {
                $0.settings = AppSettingsMessage()
                $0.settings?.limits = AppLimitsMessage()
                $0.settings?.limits?.friends = 7
                $0.settings?.checksFriendshipOnSend = true
                // A zero that is given is a value.
                $0.settings?.applicationsPerDay = 0
                $0.updateMask = paths.map { FieldMask($0) }
            }
            #expect(answer.applied == applied)
            let settings = answer.app?.settings
            #expect(settings?.limits?.friends == 7 && settings?.checksFriendshipOnSend == true)
            #expect(
                Set(answer.app?.changedSettings ?? [])
                    == ["limits.friends", "checks_friendship_on_send", "applications_per_day"])
        }
        // A mask leads a setting back to the preset.
        let back = try update(harness) { $0.updateMask = FieldMask(["limits.friends"]) }
        #expect(back.applied && back.app?.settings?.limits?.friends == 3_000)
        let name = try update(harness) { $0.name = "mine" }
        #expect(name.applied && name.app?.settings?.checksFriendshipOnSend == true)
        #expect(try !update(harness) { $0.name = "mine" }.applied)
    }

    @Test func anUpdateOfNothingIsInvalid() throws {
        let harness = try harness()
        let requests: [((inout UpdateAppRequest) -> Void, String)] = [
            ({ _ in }, "settings"),
            ({ $0.settings = AppSettingsMessage() }, "settings"),
            (
                {
                    $0.settings = AppSettingsMessage()
                    $0.settings?.limits = AppLimitsMessage()
                }, "settings"
            ),
            ({ $0.updateMask = FieldMask([]) }, "settings"),
            ({ $0.updateMask = FieldMask(["limits"]) }, "update_mask"),
            ({ $0.updateMask = FieldMask(["limits.nothing"]) }, "update_mask"),
            (
                {
                    $0.settings = AppSettingsMessage()
                    $0.settings?.logEvents = 0
                }, "settings.log_events"
            ),
        ]
        for (edit, field) in requests {
            let error = #expect(throws: RPCError.self) { _ = try update(harness, edit) }
            #expect(error?.code == .invalidArgument)
            #expect(try error?.unpacked().fields == [field])
        }
    }

    // MARK: Limits

    @Test func oneClientAppTooManyIsAResourceThatIsExhausted() throws {
        let harness = try harness()
        func register(_ number: Int) throws -> Result<RegisterClientAppResponse, RPCError> {
            var request = RegisterClientAppRequest()
            (request.clientAppID, request.name) = ("client\(number)", "client")
            return try harness.write(
                AppMethods.registerClientApp, request, ClientAppHandlers.registerClientApp)
        }
        for number in 0..<Limits.clientApps { _ = try register(number).get() }
        let error = #expect(throws: RPCError.self) {
            _ = try register(Limits.clientApps).get()
        }
        #expect(error?.code == .resourceExhausted)
        #expect(try error?.unpacked().reason == "TOO_MANY_CLIENT_APPS")
        #expect(try !register(0).get().applied, "it has that name already")
    }

    @Test func limitsHaveTheNamesOfTheRequestsFields() throws {
        let harness = try harness()
        var request = GetLimitsRequest()
        request.userID = "A"
        var limits: [String: Int64] = [:]
        try harness.read(request, AppHandlers.getLimits) { answer in
            for limit in try #require(answer).limits {
                #expect(limits[limit.name] == nil, "\(limit.name) comes twice")
                limits[limit.name] = limit.value
            }
        }
        for (name, value) in [
            ("AddFriends.items", 100), ("DefineCustomFields.items", 200),
            ("DefinePermissions.items", 100), ("GrantPermissions.names", 100),
            ("DeclinePermissions.names", 100), ("RevokePermissions.names", 100),
            ("ListMutualFriends.page_size", 200), ("SuggestFriends.page_size", 200),
            ("ListSubscriptions.page_size", 200), ("ListChanges.page_size", 500),
            ("page_size", 1_000), ("limits.friends", 3_000),
        ] as [(String, Int64)] {
            #expect(limits[name] == value, "\(name)")
        }
        // Each name of a list is a field of the request that it names.
        for name in limits.keys where name.contains(".") && name.first?.isUppercase == true {
            let parts = name.prefix { $0 != "," && $0 != " " }.split(separator: ".")
            let method = ServiceTable.all.first { $0.name == parts[0] }
            let field = method?.request.fields.first { $0.name == parts[1] }
            #expect(field != nil, "\(name)")
        }
    }

    // MARK: ReadUser

    @Test func aClientAppLearnsWhyAFieldIsAbsent() throws {
        let harness = try harness()
        var client = RegisterClientAppRequest()
        (client.clientAppID, client.name) = ("reader", "Reader")
        _ = try harness.write(
            AppMethods.registerClientApp, client, ClientAppHandlers.registerClientApp
        ).get()
        _ = try harness.world.setProfile(of: "A", [.firstName]) { $0.firstName = "Ann" }
        var grant = GrantPermissionsRequest()
        (grant.userID, grant.clientAppID, grant.names) = ("A", "reader", ["public_profile"])
        _ = try harness.write(
            ConsentMethods.grantPermissions, grant, ConsentHandlers.grant
        ).get()
        var decline = DeclinePermissionsRequest()
        (decline.userID, decline.clientAppID, decline.names) = ("A", "reader", ["email"])
        _ = try harness.write(
            ConsentMethods.declinePermissions, decline, ConsentHandlers.decline
        ).get()
        func read(_ withUnset: Bool, _ paths: [String] = []) throws -> ReadUserResponse {
            var request = ReadUserRequest()
            (request.userID, request.clientAppID) = ("A", "reader")
            request.withUnsetFields = withUnset
            if !paths.isEmpty { request.readMask = FieldMask(paths) }
            var answer = ReadUserResponse()
            try harness.read(request, ConsentHandlers.readUser) { answer = try #require($0) }
            return answer
        }
        let paths = ["last_name", "first_name", "level", "email"]
        #expect(
            try read(true, paths).fieldAccess == [
                FieldAccess("level", .notGranted), FieldAccess("email", .declined),
                FieldAccess("last_name", .notSet),
            ])
        #expect(
            try read(false, paths).fieldAccess
                == [FieldAccess("level", .notGranted), FieldAccess("email", .declined)])
        let all = try read(true)
        #expect(all.profile?.firstName == "Ann" && all.profile?.version == 0)
        #expect(!all.fieldAccess.contains { ["user_id", "version"].contains($0.field) })
        #expect(all.fieldAccess.allSatisfy { $0.access != .hidden })
        #expect(
            try read(false).fieldAccess == all.fieldAccess.filter { $0.access != .notSet })
    }

    // MARK: Exports

    @Test(arguments: ["x", "00", "01020304"])
    func aTokenThatIsNoneOfAnExportIsARefusedResumeToken(_ token: String) throws {
        let exports = Exports(harness: try harness())
        let error = #expect(throws: RPCError.self) { _ = try exports.stream(token) }
        #expect(error?.code == .invalidArgument)
        let details = try error?.unpacked()
        #expect(details?.reason == "INVALID_RESUME_TOKEN" && details?.fields == ["resume_token"])
    }
}
