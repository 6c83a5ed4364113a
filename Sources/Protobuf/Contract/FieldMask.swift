/// `google.protobuf.FieldMask`: the fields that a call is about.
///
/// In JSON the names of fields are in lowerCamelCase, or as in the contract. The key of a custom
/// field, which follows `custom.`, is letter by letter the same in every form.
public struct FieldMask: Message, Hashable {
    /// Names as in the contract, with dots between levels.
    public var paths: [String] = []

    /// The field of the contract after whose name a path goes on with a key that an app chose.
    package static let keyedField = "custom"

    public init() {}

    /// Creates a mask of `paths`: names as in the contract, with dots between levels.
    public init(_ paths: [String]) {
        self.paths = paths
    }
}

extension FieldMask: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "google.protobuf.FieldMask", FieldMask.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "paths", &paths)
    }
}
