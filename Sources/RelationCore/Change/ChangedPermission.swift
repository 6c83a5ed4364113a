package import Protobuf
package import RelationModel

/// The part of an event about a permission: the user's decision, and the permission's definition at
/// that time.
///
/// Its fields are those of the contract's `UserPermission`, one by one.
package struct ChangedPermission: CodedMessage, Equatable {
    package var name = ""
    package var status = PermissionStatus.unspecified
    package var kind = PermissionKind.unspecified
    package var access = PermissionAccess.unspecified
    package var grantTimeMs: Int64 = 0
    package var expireTimeMs: Int64 = 0
    package var changeTimeMs: Int64 = 0

    package init() {}

    package init(_ grant: GrantRecord, _ settings: AppSettings) {
        name = grant.permission
        status = grant.said
        if let definition = PermissionName(grant.permission).flatMap(settings.permission) {
            kind = definition.kind
            access = definition.access
        }
        grantTimeMs = grant.grantTimeMs
        expireTimeMs = grant.expireTimeMs
        changeTimeMs = grant.changeTimeMs
    }

    package static let schema = Schema("relation.store.ChangedPermission", ChangedPermission.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "status", &status)
        visitor.field(3, "kind", &kind)
        visitor.field(4, "access", &access)
        visitor.field(5, "grant_time_ms", &grantTimeMs)
        visitor.field(6, "expire_time_ms", &expireTimeMs)
        visitor.field(7, "change_time_ms", &changeTimeMs)
    }
}
