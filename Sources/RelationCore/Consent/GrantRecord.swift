package import Protobuf
package import RelationModel

/// What one user said to one client app about one permission.
package struct GrantRecord: Message, Equatable {
    package var clientAppID = ""
    package var permission = ""
    /// What the user said last.
    ///
    /// Nothing writes a row when a grant's time runs out: ``status(at:)`` sees it.
    package var said = PermissionStatus.unspecified
    /// When it was granted last; 0 if never.
    package var grantTimeMs: Int64 = 0
    /// When a grant ends; 0 if it has no end, or is none.
    package var expireTimeMs: Int64 = 0
    package var changeTimeMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Grant", GrantRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "client_app_id", &clientAppID)
        visitor.field(2, "permission", &permission)
        visitor.field(3, "said", &said)
        visitor.field(4, "grant_time_ms", &grantTimeMs)
        visitor.field(5, "expire_time_ms", &expireTimeMs)
        visitor.field(6, "change_time_ms", &changeTimeMs)
    }

    /// How the permission stands at `now`.
    package func status(at now: Timestamp) -> PermissionStatus {
        guard said == .granted, expireTimeMs != 0, expireTimeMs <= now.milliseconds else {
            return said
        }
        return .expired
    }
}
