/// `google.protobuf.FieldMask`: the fields that a call is about.
public struct FieldMask: Message, Hashable {
    /// Names as in the contract, with dots between levels.
    public var paths: [String] = []

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
