package import Protobuf
package import RelationModel

extension Method {
    /// The scope that a caller must have.
    package var scope: Scope { Scope(for: access, of: audience) }
}

extension AnyMethod {
    /// The scope that a caller must have.
    package var scope: Scope { Scope(for: access, of: audience) }
}
