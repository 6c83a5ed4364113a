package import RelationAPI
import RelationModel

/// The custom fields that the app has, as an administrator of it has written them down.
package struct CustomFields: Sendable {
    package let all: [CustomFieldMessage]

    package init(_ all: [CustomFieldMessage]) {
        self.all = all
    }

    /// The keys of one kind of fields that are in use.
    func keys(of owner: CustomFieldOwner) -> [String] {
        all.filter { $0.owner == owner && !$0.retired }.map(\.key)
    }

    /// The value of a field, by the field's type.
    ///
    /// - Parameters:
    ///   - text: The value as a text, as which a number stands too.
    ///   - rule: Why there is none, if there is none.
    func value(
        _ key: String, _ owner: CustomFieldOwner, _ text: String, rule: inout String
    ) -> CustomValue? {
        let field = all.first { $0.owner == owner && $0.key.utf8.elementsEqual(key.utf8) }
        guard let field else {
            rule = "is not a custom field of the file of custom fields"
            return nil
        }
        switch field.valueType {
        case .uint64:
            guard let number = UInt64(text) else {
                rule = "is not a number, and the field is one of numbers"
                return nil
            }
            return CustomValue(field.key, .number(number))
        case .bytes: return CustomValue(field.key, .data(Array(text.utf8)))
        default: return CustomValue(field.key, .text(text))
        }
    }
}
