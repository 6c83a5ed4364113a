package import Protobuf
package import RelationModel

/// The decision of one user about one permission for one client app.
package struct GrantRecord: CodedMessage, Equatable {
    package var clientAppID = ""
    package var permission = ""
    /// The user's last decision.
    ///
    /// No row is written when a grant's time runs out: ``status(at:)`` computes it.
    package var said = PermissionStatus.unspecified
    /// The time at which it was last granted; 0 if never.
    package var grantTimeMs: Int64 = 0
    /// The time at which the grant ends; 0 if it has no end, or if nothing is granted.
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

    /// The status of the permission at `now`.
    package func status(at now: Timestamp) -> PermissionStatus {
        guard said == .granted, expireTimeMs != 0, expireTimeMs <= now.milliseconds else {
            return said
        }
        return .expired
    }
}
