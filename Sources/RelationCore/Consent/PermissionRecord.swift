package import Protobuf
package import RelationModel

/// A client app as it is stored.
package struct ClientAppRecord: CodedMessage, Equatable {
    package var id = ""
    package var name = ""

    package init() {}

    package init(_ clientApp: ClientApp) {
        id = clientApp.id.text
        name = clientApp.name
    }

    package static let schema = Schema("relation.store.ClientApp", ClientAppRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "id", &id)
        visitor.field(2, "name", &name)
    }

    package var clientApp: ClientApp { ClientApp(id: ClientAppID(stored: id), name: name) }
}

/// A permission that an app defined, as it is stored.
package struct PermissionRecord: CodedMessage, Equatable {
    package var name = ""
    package var kind = PermissionKind.unspecified
    package var access = PermissionAccess.unspecified
    package var fields: [String] = []
    package var lifetimeMs: Int64 = 0

    package init() {}

    package init(_ permission: Permission) {
        name = permission.name.text
        kind = permission.kind
        access = permission.access
        fields = permission.fields
        lifetimeMs = permission.lifetimeMs
    }

    package static let schema = Schema("relation.store.Permission", PermissionRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "kind", &kind)
        visitor.field(3, "access", &access)
        visitor.field(4, "fields", &fields)
        visitor.field(5, "lifetime_ms", &lifetimeMs)
    }

    package var permission: Permission {
        var permission = Permission(PermissionName(stored: name), kind, fields: fields)
        permission.access = access
        permission.lifetimeMs = lifetimeMs
        return permission
    }
}
