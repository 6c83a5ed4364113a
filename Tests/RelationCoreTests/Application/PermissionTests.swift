import Memory
import Protobuf
import RelationCore
import RelationModel
import Testing

/// Client apps, and the permissions for which they may ask: pure rules over an app's settings.
@Suite struct PermissionTests {
    private typealias Why = Reason.ConsentDefine

    private func permission(
        _ name: String, _ kind: PermissionKind = .extended, _ fields: [String] = [],
        _ edit: (inout Permission) -> Void = { _ in }
    ) -> Permission {
        var permission = Permission(PermissionName(stored: name), kind, fields: fields)
        edit(&permission)
        return permission
    }

    private var settings: AppSettings {
        var settings = AppSettings.tim
        settings.customFields = [CustomField(.profile, "Blood", .string)]
        var hidden = CustomField(.profile, "Score", .uint64)
        hidden.isReadable = false
        settings.customFields += [hidden, CustomField(.friend, "Met", .string)]
        return settings
    }

    /// The answer to a definition that changes something.
    private static let defined = PermissionOutcome.success

    @Test func aDefinitionIsFoundAndReplaced() throws {
        var settings = settings
        let about = permission("user_about", .extendedProfile, ["self_signature"])
        #expect(Permissions.define(about, in: &settings) == Self.defined)
        #expect(settings.permission(about.name) == about)
        let other = permission("user_about", .openGraph, ["custom.Blood", "level"])
        #expect(Permissions.define(other, in: &settings) == Self.defined)
        #expect(settings.permissions == [other])
        #expect(Permissions.define(other, in: &settings) == PermissionOutcome.unchanged)
        #expect(settings.permissions == [other])
        #expect(settings.permission(PermissionName(stored: "user_About")) == nil)
    }

    @Test func theAnswersOfDefiningComeInOrder() throws {
        let settings = settings
        let many = (0...Limits.permissionFields).map { "f\($0)" }
        let cases: [(Permission, ProfileStatus, Reason)] = [
            (permission("p", .basic, many), .invalidParameter, Why.fieldsIllegal),
            (permission("p", .basic, ["x", "x"]), .invalidParameter, Why.fieldsIllegal),
            (
                permission("p", .basic, ["x"]) { $0.lifetimeMs = -1 }, .invalidParameter,
                Why.lifetimeIllegal
            ),
            (
                permission("p", .basic, ["x"]) {
                    $0.lifetimeMs = Limits.permissionLifetimeMs + 1
                }, .invalidParameter, Why.lifetimeIllegal
            ),
            (permission("email", .extended, ["x"]), .valueError, Why.builtIn),
            (permission("p", .basic, ["x"]), .tagNotFound, Why.fieldNotExist),
            (permission("p", .basic, ["user_id"]), .tagNotFound, Why.fieldNotExist),
            (permission("p", .basic, ["custom"]), .tagNotFound, Why.fieldNotExist),
            (permission("p", .basic, ["custom.Met"]), .tagNotFound, Why.fieldNotExist),
            (
                permission("p", .basic, ["custom.Score"]), .readPermissionRequired,
                Why.fieldNotReadable
            ),
            (
                permission("p", .basic, ["msg_settings"]), .readPermissionRequired,
                Why.fieldNotReadable
            ),
            (
                permission("p", .basic, ["admin_forbid_type"]), .readPermissionRequired,
                Why.fieldNotReadable
            ),
            (
                permission("p", .basic, ["level"]) { $0.access = .publish }, .valueError,
                Why.accessIllegal
            ),
            (
                permission("p", .email) { $0.access = .publish }, .valueError,
                Why.accessIllegal
            ),
            (
                permission("p", .extendedProfile) { $0.access = .publish }, .valueError,
                Why.accessIllegal
            ),
            (permission("p", .basic), .valueError, Why.kindIllegal),
        ]
        for (permission, code, reason) in cases {
            var after = settings
            #expect(
                Permissions.define(permission, in: &after) == PermissionOutcome(code, reason),
                "\(permission)")
            #expect(after.permissions == [])
        }
    }

    @Test(arguments: [PermissionKind.email, .extendedProfile, .extended, .openGraph])
    func everyKindButTheBasicOneIsDefined(kind: PermissionKind) {
        var settings = settings
        let read = permission("p.read", kind, ["level"]) {
            $0.lifetimeMs = Limits.permissionLifetimeMs
        }
        #expect(Permissions.define(read, in: &settings) == Self.defined)
        guard kind == .extended || kind == .openGraph else { return }
        let publish = permission("p:publish", kind) { $0.access = .publish }
        #expect(Permissions.define(publish, in: &settings) == Self.defined)
    }

    @Test func ofABuiltInPermissionTheLifetimeIsChosenAndNothingElse() throws {
        for builtIn in Permission.builtIn where builtIn.name != .publicProfile {
            var settings = settings
            let shorter = permission(builtIn.name.text, builtIn.kind) { $0.lifetimeMs = 5 }
            #expect(Permissions.define(shorter, in: &settings) == Self.defined)
            #expect(settings.permission(builtIn.name)?.fields == builtIn.fields)
            #expect(settings.permission(builtIn.name)?.lifetimeMs == 5)
            let other = permission(builtIn.name.text, builtIn.kind, ["level"])
            #expect(
                Permissions.define(other, in: &settings)
                    == PermissionOutcome(.valueError, Why.builtIn))
        }
        var settings = settings
        let basic = permission("public_profile", .basic) { $0.lifetimeMs = 5 }
        #expect(
            Permissions.define(basic, in: &settings)
                == PermissionOutcome(.valueError, Why.builtIn))
    }

    @Test func anAppDefinesAsManyPermissionsAsItMay() throws {
        var settings = settings
        for number in 0..<Limits.permissions {
            let one = permission("p\(number)")
            #expect(Permissions.define(one, in: &settings) == Self.defined)
        }
        #expect(
            Permissions.define(permission("more"), in: &settings)
                == PermissionOutcome(.valueError, Why.tooMany))
        #expect(Permissions.define(permission("p7"), in: &settings) == PermissionOutcome.unchanged)
        #expect(settings.permissions.count == Limits.permissions)
        let names = settings.allPermissions.map(\.name)
        #expect(names == names.sorted())
        #expect(names.count == Limits.permissions + Permission.builtIn.count)
    }

    @Test func anAppRegistersAsManyClientAppsAsItMay() throws {
        var settings = settings
        for number in 0..<Limits.clientApps {
            let client = ClientApp(id: ClientAppID(stored: "c\(number)"), name: "n")
            #expect(Permissions.register(client, in: &settings))
        }
        let more = ClientApp(id: ClientAppID(stored: "more"), name: "n")
        #expect(!Permissions.register(more, in: &settings))
        #expect(settings.clientApp(more.id) == nil)
        let renamed = ClientApp(id: ClientAppID(stored: "c7"), name: "other")
        #expect(Permissions.register(renamed, in: &settings))
        #expect(settings.clientApp(renamed.id) == renamed)
        #expect(settings.clientApps.count == Limits.clientApps)
    }

    @Test func whatIsStoredIsWhatWasDefined() throws {
        var settings = settings
        _ = Permissions.register(ClientApp(id: ClientAppID(stored: "c"), name: "é"), in: &settings)
        _ = Permissions.define(
            permission("p", .openGraph) {
                $0.access = .publish
                $0.lifetimeMs = 7
            }, in: &settings)
        _ = Permissions.define(permission("q", .email, ["level"]), in: &settings)
        var app = AppRecord()
        app.preset = .tim
        app.clientApps = settings.clientApps.map(ClientAppRecord.init)
        app.permissions = settings.permissions.map(PermissionRecord.init)
        let coder = Coder(AppRecord.self)
        let stored = try Arena.temporary { (arena) throws(CodecError) in
            try coder.message(try coder.bytes(app, arena), arena)
        }
        let restored = stored.effectiveSettings
        #expect(restored.clientApps == settings.clientApps)
        #expect(restored.permissions == settings.permissions)
    }
}
