package import RelationModel

/// The fields of one user that a client app may see at one time.
package struct ConsentView: Equatable, Sendable {
    /// The status of each field; a field that is not here was never granted or declined.
    private var statuses: [String: PermissionStatus] = [:]

    /// - Parameter grants: All decisions of the user about the client app.
    package init(_ grants: [GrantRecord], _ settings: AppSettings, at now: Timestamp) {
        for grant in grants {
            guard let name = PermissionName(grant.permission),
                let permission = settings.permission(name), permission.access == .read
            else { continue }
            let status = grant.status(at: now)
            for field in permission.fields where Self.gives(status, over: statuses[field]) {
                statuses[field] = status
            }
        }
    }

    /// The status of the field of that name.
    ///
    /// It is ``PermissionStatus/granted`` if any permission opens the field, and
    /// ``PermissionStatus/unspecified`` if the user never decided about a permission that would.
    package func status(of field: String) -> PermissionStatus {
        statuses[field] ?? .unspecified
    }

    /// Whether `status` decides over `other`, where two permissions open one field.
    ///
    /// A granted one decides over all others. Among the others, one that was granted once decides
    /// over one that was declined.
    private static func gives(
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
