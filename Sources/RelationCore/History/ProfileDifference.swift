import RelationModel

/// The fields in which a profile differs from what it was before, and nothing else of it.
package struct ProfileDifference {
    /// These fields as they were before; those that were not set are absent.
    package private(set) var before = ProfileRecord()
    /// These fields as they are after it.
    package private(set) var after = ProfileRecord()
    /// The paths of the fields, in the order of the profile's fields and of the custom keys.
    package private(set) var paths: [String] = []

    package init(from old: ProfileRecord, to new: ProfileRecord) {
        for field in ProfileField.stored {
            var (one, other) = (ProfileRecord(), ProfileRecord())
            field.copy(from: old, to: &one)
            field.copy(from: new, to: &other)
            guard one != other else { continue }
            field.copy(from: old, to: &before)
            field.copy(from: new, to: &after)
            paths.append(field.name)
        }
        for key in Set((old.custom + new.custom).map(\.key)).sorted() {
            let (one, other) = (old.custom.value(of: key), new.custom.value(of: key))
            guard one != other else { continue }
            before.custom.set(one, of: key)
            after.custom.set(other, of: key)
            paths.append(CustomPath.prefix + key)
        }
    }

    /// The difference that an entry of a history has.
    package init(before: ProfileRecord, after: ProfileRecord, paths: [String]) {
        (self.before, self.after, self.paths) = (before, after, paths)
    }

    /// The fields among them that are not custom ones.
    package var fields: [ProfileField] { paths.compactMap { ProfileField(named: $0) } }

    /// The keys of the custom fields among them.
    package var customKeys: [String] {
        paths.filter { $0.hasPrefix(CustomPath.prefix) }.map {
            String($0.dropFirst(CustomPath.prefix.count))
        }
    }

    /// These fields of a profile, and nothing else of it.
    package func fields(of record: ProfileRecord) -> ProfileRecord {
        var shown = ProfileRecord()
        for field in fields { field.copy(from: record, to: &shown) }
        for key in customKeys { shown.custom.set(record.custom.value(of: key), of: key) }
        return shown
    }
}
