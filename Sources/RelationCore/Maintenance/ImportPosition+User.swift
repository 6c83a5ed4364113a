import RelationModel

extension ImportPosition {
    /// The user whom the row key names; nil if it names none, as a group or a report does.
    var namedUser: UserID? {
        let section = UInt8(exactly: section).flatMap(AppExport.Section.init)
        guard let section else { return nil }
        return rowKey.withUnsafeBytes { bytes in
            switch section {
            case .friends, .blacklist, .follows, .dismissals: UserID(reading: bytes)
            case .pendencies: PendencyKey(reading: bytes)?.user
            case .handled: HandledKey(reading: bytes)?.user
            case .subscriptions: SubscriptionKey(reading: bytes)?.user
            case .account, .groups, .consent, .invitations, .invitationUses, .statuses,
                .contactDigests, .suspensions, .reports, .seenDevices:
                nil
            }
        }
    }
}
