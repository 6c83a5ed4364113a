/// The paths of custom fields, of profiles and of friends' rows.
package enum CustomPath {
    /// The beginning of such a path, before the key of the field.
    package static let prefix = "custom."

    /// The key of the custom field that `path` names, or nil if it names no custom field.
    package static func key(in path: String) -> String? {
        path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }
}
