import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Checks a user's decisions about client apps: each row is whole, and is what the log has of
    /// it last.
    mutating func checkConsent(_ user: UserID) throws(StorageError) {
        let rows = try world.rows(of: Tables.grants, of: user)
        let isTrimmed = try world.userRecord(of: user)?.logFloor != 0
        var listed: [GrantKey: ChangedPermission] = [:]
        for (_, event) in try world.log(of: user) where event.kind == .consentChanged {
            for item in event.items {
                guard let client = ClientAppID(item.clientAppID),
                    let permission = item.permission,
                    let name = PermissionName(permission.name)
                else { continue }
                listed[GrantKey(client, name)] = permission
            }
        }
        for (key, grant) in rows {
            let name = "\(key.client) \(key.permission)"
            expectSame(
                "\(grant.clientAppID) \(grant.permission)", name, user, "what a grant is about")
            expect(grant.said != .unspecified, user, "said nothing about \(name)")
            let isGranted = grant.said == .granted
            expect(!isGranted || grant.grantTimeMs != 0, user, "granted \(name) at no time")
            expect(isGranted || grant.expireTimeMs == 0, user, "no grant of \(name) has an end")
            if listed[key] != nil {
                // The definition may have changed since.
                var wanted = ChangedPermission(grant, world.settings)
                wanted.kind = listed[key]?.kind ?? .unspecified
                wanted.access = listed[key]?.access ?? .unspecified
                expectSame(listed[key], wanted, user, "what the log has last of \(name)")
            } else {
                expect(isTrimmed, user, "the log never had \(name)")
            }
            let basic = rows.first {
                $0.key == GrantKey(key.client, .publicProfile)
            }
            expect(
                !isGranted || basic?.record.said == .granted, user,
                "granted \(name) without the package profile")
        }
        if let userRecord = try world.userRecord(of: user) {
            let last = try world.log(of: user).last { $0.1.kind == .consentChanged }
            expectLast(
                last?.sequence, userRecord.consentsSequence, userRecord, user, "consents")
        }
        let missing = Set(listed.keys).subtracting(rows.map(\.key))
        expectSame(missing, [], user, "grants that the log has and that are not there")
    }
}
