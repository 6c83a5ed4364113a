import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Checks that the index of contacts names exactly the users that have a digest.
    mutating func checkContacts() throws(StorageError) {
        var wanted: [ContactDigest: [String]] = [:]
        for user in users where try world.userRecord(of: user) != nil {
            for row in try world.rows(of: Tables.contactDigests, of: user) {
                let record = row.record
                expect(!record.isEmpty, user, "has a row without digests")
                for digests in [record.phones, record.emails] {
                    expect(digests.count <= Limits.contactDigests, user, "has too many digests")
                }
                for digest in record.all { wanted[digest, default: []].append(user.text) }
            }
        }
        for row in try world.rows(of: Tables.contactOwners, in: world.app.contacts) {
            let known = row.record.userIDs.filter { id in users.contains { $0.text == id } }
            let owners = wanted.removeValue(forKey: row.key) ?? []
            if !Set(owners).isSubset(of: known) { note("a digest lacks one of \(owners)") }
            if row.record.userIDs.count > Limits.contactOwners { note("a digest has too many") }
            if row.record.userIDs.isEmpty { note("a digest has no user") }
        }
        for (_, owners) in wanted { note("a digest of \(owners) is not in the index") }
    }
}
