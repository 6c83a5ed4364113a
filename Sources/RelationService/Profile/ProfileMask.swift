package import Protobuf
package import RelationCalls
package import RelationCore
import RelationModel

/// The fields that a read of profiles asks for: all fields if its mask is empty.
package struct ProfileMask {
    package let fields: ProfileFields
    /// Nil means all.
    private let customKeys: [String]?
    package let hasVersion: Bool
    /// The custom fields of the app that the mask contains, in the order of the bytes of their
    /// keys.
    package let customFields: [CustomField]

    /// - Parameter name: The mask's own name in the request.
    package init(
        _ mask: FieldMask?, _ name: String, _ settings: AppSettings, _ violations: inout Violations
    ) {
        let paths = violations.paths(of: mask, name)
        var named: ProfileFields = []
        var keys: [String]? = []
        for path in paths {
            if path.isExactly("user_id") || path.isExactly("version") { continue }
            if path.isExactly("custom") {
                keys = nil
            } else if let field = ProfileField(named: path) {
                named.insert(ProfileFields(field))
            } else if let key = CustomPath.key(in: path),
                settings.customField(key, of: .profile) != nil
            {
                keys?.append(key)
            } else {
                violations.add(
                    path: path, in: name, "is not a field of a profile", takesKeys: true,
                    isField: Self.isField)
            }
        }
        fields = paths.isEmpty ? .all : named
        customKeys = paths.isEmpty ? nil : keys
        hasVersion = paths.isEmpty || paths.contains("version")
        let contained = settings.customFields.filter { [customKeys] field in
            field.owner == .profile && !field.isRetired
                && customKeys?.contains { $0.isExactly(field.key) } ?? true
        }
        customFields = contained.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func isField(_ path: String) -> Bool {
        ["user_id", "version", "custom"].contains(path) || ProfileField(named: path) != nil
    }

    package func contains(_ field: ProfileField) -> Bool {
        fields.contains(field)
    }

    /// Whether the mask contains the field of that path, as events name it.
    func contains(path: String) -> Bool {
        if let key = CustomPath.key(in: path) { return contains(customKey: key) }
        return ProfileField(named: path).map(contains) ?? false
    }

    package func contains(customKey key: String) -> Bool {
        customKeys?.contains { $0.isExactly(key) } ?? true
    }

    /// The same bytes for two masks only if they ask for the same fields.
    package var mark: [UInt8] {
        var mark: [UInt8] = [hasVersion ? 1 : 0]
        for field in ProfileField.allCases { mark.append(contains(field) ? 1 : 0) }
        guard let customKeys else { return mark + [1] }
        for key in Set(customKeys).sorted() { mark += Array(key.utf8) + [0] }
        return mark
    }
}
