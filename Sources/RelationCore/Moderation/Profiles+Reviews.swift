package import RelationModel
import Storage

extension Profiles {
    /// The paths of those fields of `user` that are under review, in the order of the profile.
    package static func underReview(
        _ fields: [ProfileField], customKeys: [String], of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> [String] {
        guard !ledger.settings.reviewedFields.isEmpty else { return [] }
        let profile = try record(of: user, app: ledger.app, in: ledger.transaction)
        return profile.reviews.map(\.field).filter { path in
            if let key = customKey(in: path) {
                return customKeys.contains { $0.isExactly(key) }
            }
            return fields.contains { $0.name.isExactly(path) }
        }
    }
}

extension Profiles.Seen {
    /// The profile as its own user reads it: with the new values of fields that are held.
    package var withHeld: Profiles.Seen {
        var record = record
        for review in record.reviews where review.state != .shown {
            review.value.put(at: review.field, into: &record)
        }
        return Profiles.Seen(user: user, record: record, view: view)
    }
}
