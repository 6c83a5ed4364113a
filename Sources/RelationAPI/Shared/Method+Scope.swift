public import Protobuf
public import RelationModel

extension Method {
    /// The scope that a caller must have.
    public var scope: Scope { Scope(for: access, of: audience) }
}

extension AnyMethod {
    /// The scope that a caller must have.
    public var scope: Scope { Scope(for: access, of: audience) }
}
