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
            if let key = CustomPath.key(in: path) {
                return customKeys.contains { $0.isExactly(key) }
            }
            return fields.contains { $0.name.isExactly(path) }
        }
    }

    /// The paths of those values of a new profile that the app has no room to review, so that the
    /// update makes no account; none if it has.
    static func fieldsWithoutRoom(
        _ values: ProfileRecord, _ fields: [ProfileField], _ customKeys: [String],
        isReviewed: Bool, in ledger: Ledger
    ) throws(StorageError) -> [String] {
        guard !ledger.settings.reviewedFields.isEmpty else { return [] }
        var row = ProfileRecord()
        var plan = ReviewPlan(
            row, [], ledger.settings, isReviewed: isReviewed, at: ledger.now)
        for field in fields {
            field.copy(from: values, to: &row)
            plan.review(field.name, in: &row)
        }
        for key in customKeys {
            row.custom.set(values.custom.value(of: key), of: key)
            plan.review(CustomPath.prefix + key, in: &row)
        }
        return try Reviews.haveRoom(for: plan.growth, in: ledger) ? [] : plan.added
    }
}

extension Profiles.Seen {
    /// The profile as its own user reads it: with the new values of fields that are held.
    package var withHeld: Profiles.Seen {
        var record = record
        for review in record.reviews where review.state != .shown {
            review.value.set(at: review.field, into: &record)
        }
        return Profiles.Seen(user: user, record: record, view: view)
    }
}
