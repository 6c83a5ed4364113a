package import RelationModel

extension [CustomValue] {
    /// Values of answers as rows hold them: a text as its bytes.
    package var asStored: [CustomValue] {
        map { value in
            guard case .text(let text) = value.value else { return value }
            return CustomValue(value.key, .data([UInt8](text.utf8)))
        }
    }
}
