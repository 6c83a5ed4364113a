import RelationAPI
import RelationCore
import RelationModel

/// The parts that several rows of an export have.
extension AppRowReader {
    func user(_ text: String, _ field: String) throws(AppRowError) -> UserID {
        guard let user = UserID(text) else { throw AppRowError(field, "is not a user id") }
        return user
    }

    func other(
        _ text: String, than owner: UserID, _ field: String
    ) throws(AppRowError) -> UserID {
        let other = try user(text, field)
        guard other != owner else { throw AppRowError(field, "must be another user") }
        return other
    }

    /// Checks times to which some rule adds another.
    func check(_ times: Int64..., in field: String) throws(AppRowError) {
        let most = Limits.exportedTimeMs
        guard times.allSatisfy({ (0...most).contains($0) }) else {
            throw AppRowError(field, "must be 0 to \(most)")
        }
    }

    /// Checks numbers to which no rule adds anything; calls take the highest there is.
    func checkSigns(_ numbers: Int64..., in field: String) throws(AppRowError) {
        guard numbers.allSatisfy({ $0 >= 0 }) else {
            throw AppRowError(field, "must not be negative")
        }
    }

    /// Checks values by rules, each with the field that breaks it.
    func check(
        _ values: inout FriendValues, _ rules: [(rule: FriendValueRule, field: String)]
    ) throws(AppRowError) {
        let keywords = settings.rowsMayHaveTIMValues ? AddSource.Keywords.texts : .letters
        for (rule, field) in rules where !rule.allows(&values, limits, keywords) {
            throw AppRowError(
                field,
                rule == .source ? "is not AddSource_Type_ and 1 to 8 letters" : "is too long")
        }
    }

    /// Values of friends' custom fields, those of retired fields included.
    ///
    /// - Parameter removes: Whether a key may come without a value, as in an application.
    func custom(
        _ values: [CustomValue], _ field: String, removes: Bool = false
    ) throws(AppRowError) -> [CustomValue] {
        let known = settings.forReadingExports
        var read: [CustomValue] = []
        for value in values {
            guard let definition = known.customField(value.key, of: .friend) else {
                throw AppRowError(field, "names a field that the app has not defined")
            }
            let isFirst = !read.contains { $0.key.isExactly(value.key) }
            if removes, isFirst, value.value == nil {
                read.append(value)
                continue
            }
            guard let given = known.tagValue(of: value, .friend),
                case .success(let stored) = CustomCheck(known).stored(given, definition.type),
                let stored, isFirst
            else { throw AppRowError(field, "has a value of the wrong kind, too long, or twice") }
            read.append(CustomValue(value.key, stored))
        }
        return removes ? read : [CustomValue]().changed(by: read)
    }
}
