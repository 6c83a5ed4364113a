public import Protobuf

/// A webhook of an export.
public struct ExportedHook: CodedMessage {
    /// The hook, without how far it has come.
    public var hook: Hook?
    /// Its secrets, the newest first; without their texts if the export has no secrets.
    public var secrets: [ExportedSecret] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedHook", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "hook", &hook)
        visitor.field(2, "secrets", &secrets)
    }
}
