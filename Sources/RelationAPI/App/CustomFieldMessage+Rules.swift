import Protobuf
package import RelationModel

extension CustomFieldMessage {
    /// The first rule that the definition breaks in an export, with its field; nil if it breaks
    /// none.
    ///
    /// The fields are checked in this order: `owner`, `key`, `value_type`, and `key` among the
    /// fields that are there.
    ///
    /// - Parameters:
    ///   - limits: The limits of the app that the export has.
    ///   - others: The fields that the export has defined before.
    package func firstViolation(
        _ limits: AppLimits, among others: some Sequence<(owner: CustomFieldOwner, key: String)>
    ) -> (field: String, rule: String)? {
        guard owner == .profile || owner == .friend else {
            return ("owner", "must be PROFILE or FRIEND")
        }
        guard limits.allowsCustomKey(key) else {
            let kinds = limits.customKeysHaveDigits ? "letters, digits or underscores" : "letters"
            return ("key", "must be 1 to \(limits.customKeyBytes) \(kinds)")
        }
        guard valueType.isKnown, valueType != .unspecified else {
            return ("value_type", "is not a type that this server knows")
        }
        var count = 0
        for other in others where other.owner == owner {
            guard !other.key.utf8.elementsEqual(key.utf8) else {
                return ("key", "is that of a field that is there already")
            }
            count += 1
        }
        guard count < Limits.customFields else {
            return ("key", "is one field of its owner more than \(Limits.customFields)")
        }
        return nil
    }
}
