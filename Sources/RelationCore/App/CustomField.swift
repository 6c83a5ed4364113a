package import RelationModel

/// A field that an app added to profiles or to friends.
package struct CustomField: Sendable, Equatable {
    package var owner: CustomFieldOwner
    /// Its key, without the prefix of its tag.
    package var key: String
    package var type: CustomFieldType
    /// Whether callers without the scope `admin` may read it.
    package var isReadable = true
    /// Whether callers without the scope `admin` may write it.
    package var isWritable = true
    /// No call knows a retired field; its stored values stay, but no call shows them.
    package var isRetired = false

    package init(_ owner: CustomFieldOwner, _ key: String, _ type: CustomFieldType) {
        self.owner = owner
        self.key = key
        self.type = type
    }
}
