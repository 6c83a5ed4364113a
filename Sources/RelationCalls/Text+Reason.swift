package import Memory
package import RelationModel

extension Text {
    /// The `info` of a reason.
    package init(_ reason: Reason) {
        self.init(stringLiteral: reason.info)
    }
}
