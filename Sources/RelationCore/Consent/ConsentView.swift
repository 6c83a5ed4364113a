package import RelationModel

/// What a client app may see of one user at one moment.
package struct ConsentView: Equatable, Sendable {
    /// How the permission stands that opens each field; a field that is not here was never granted.
    private var statuses: [String: PermissionStatus] = [:]

    /// - Parameter grants: All that the user said to the client app.
    package init(_ grants: [GrantRecord], _ settings: AppSettings, at now: Timestamp) {
        for grant in grants {
            guard let name = PermissionName(grant.permission),
                let permission = settings.permission(name), permission.access == .read
            else { continue }
            let status = grant.status(at: now)
            for field in permission.fields where Self.tells(status, over: statuses[field]) {
                statuses[field] = status
            }
        }
    }

    /// How the field of that name stands: ``PermissionStatus/granted`` if any permission opens it,
    /// ``PermissionStatus/unspecified`` if the user never said anything about those that would.
    package func status(of field: String) -> PermissionStatus {
        statuses[field] ?? .unspecified
    }

    /// Where several permissions open one field, one that is granted decides; of the others that
    /// which was granted once.
    private static func tells(
        _ status: PermissionStatus, over other: PermissionStatus?
    ) -> Bool {
        let order: [PermissionStatus] = [.granted, .revoked, .expired, .declined]
        guard let other, let old = order.firstIndex(of: other) else { return true }
        return (order.firstIndex(of: status) ?? order.count) < old
    }
}

extension Profiles.Seen {
    /// The profile of `user` as a client app sees it.
    package init(_ user: UserID, _ record: ProfileRecord, by consent: ConsentView) {
        self.init(user: user, record: record, view: ProfileView(consent))
    }
}
