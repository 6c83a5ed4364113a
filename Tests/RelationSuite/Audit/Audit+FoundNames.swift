import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Checks that the index of names, if it is whole, has the rows of every nick and no others.
    mutating func checkFoundNames() throws(StorageError) {
        let (app, settings) = (world.app, world.settings)
        let isComplete = try world.read { (transaction) throws(StorageError) in
            try FoundNames.isComplete(of: app, in: transaction)
        }
        guard isComplete else { return }
        var wanted: Set<FoundName> = []
        for user in users {
            guard let record = try world.userRecord(of: user) else { continue }
            let profile = try world.profile(of: user)
            var rows = FoldedName(profile.nick).rows(
                of: user, isHidden: !record.canBeFound(by: .name, settings))
            if settings.findsIDBeginnings {
                rows.append(
                    FoundName(
                        FoundName.Part(
                            .idBeginning, isHidden: !record.canBeFound(by: .id, settings)),
                        user.text.utf8, user))
            }
            if settings.findsIDBeginnings, let id = profile.uniqueID {
                let isHidden = !record.canBeFound(by: .uniqueID, settings)
                rows.append(
                    FoundName(
                        FoundName.Part(.uniqueIDBeginning, isHidden: isHidden), id.utf8, user))
            }
            expect(rows.count <= Limits.foundNamesPerUser, user, "has too many names")
            wanted.formUnion(rows)
        }
        let found = Set(try world.rows(of: Tables.foundNames, in: app.foundNames).map(\.key))
        for row in found.subtracting(wanted) where users.contains(row.user) {
            note("\(row.user): a row of the index of names that no nick has")
        }
        for row in wanted.subtracting(found) {
            note("\(row.user): a nick without its row in the index of names")
        }
    }
}
