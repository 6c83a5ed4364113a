import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Checks that each suspension is the one of the user record, and compares the indexes and the
    /// count of the app with the users' own rows.
    mutating func checkSuspensions() throws(StorageError) {
        var (suspended, ends): (Set<UserID>, Set<String>) = ([], [])
        for user in users {
            guard let userRecord = try world.userRecord(of: user) else { continue }
            let record = try world.rows(of: Tables.suspensions, of: user).first?.record
            expectSame(
                userRecord.suspensionLevel, record?.level ?? .unspecified, user,
                "the level of the suspension")
            expectSame(
                userRecord.suspensionEndMs, record?.endTimeMs ?? 0, user,
                "the end of the suspension")
            guard let record else { continue }
            expect(record.level != .unspecified, user, "has a suspension without a level")
            suspended.insert(user)
            if record.endTimeMs != 0 { ends.insert("\(record.endTimeMs) \(user)") }
        }
        let listed = try world.rows(of: Tables.suspendedUsers, in: world.app.suspensions)
            .map(\.key)
        if Set(listed) != suspended { note("suspended are \(listed) instead of \(suspended)") }
        let count = try world.suspensionCount()
        if count != Int64(suspended.count) { note("counts \(count) suspensions") }
        let index = try world.rows(of: Tables.suspensionEnds, in: world.app.suspensionEnds)
            .map { "\($0.key.timeMs) \($0.key.user)" }
        if Set(index) != ends { note("suspensions end at \(index) instead of \(ends)") }
    }
}
