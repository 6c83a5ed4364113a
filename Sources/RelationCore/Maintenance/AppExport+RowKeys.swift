import RelationModel

extension AppExport.Section {
    /// The user whom the key of a row of this section names; nil if it names none, as that of a
    /// group or a report does.
    func user(in rowKey: [UInt8]) -> UserID? {
        rowKey.withUnsafeBytes { bytes in
            switch self {
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
