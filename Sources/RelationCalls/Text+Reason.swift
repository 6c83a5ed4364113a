package import Protobuf
package import RelationModel

extension Text {
    package init(_ reason: Reason) {
        self.init(stringLiteral: reason.text)
    }
}
