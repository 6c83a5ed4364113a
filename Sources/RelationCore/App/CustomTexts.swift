package import Memory
package import Protobuf
package import RelationModel

/// The custom fields of type STRING of friends or of profiles.
///
/// A row holds a text as the bytes of `data`, and an answer shows it as `text`. Both have the same
/// form on the wire but for their tag, so a stored row becomes one of an answer without decoding.
package struct CustomTexts: Sendable {
    private let keys: [String]

    /// - Parameter withRetired: Whether values of retired fields are shown too, as exports do.
    package init(
        of owner: CustomFieldOwner, _ settings: AppSettings, withRetired: Bool = false
    ) {
        keys = settings.customFields
            .filter { $0.owner == owner && $0.type == .string && (withRetired || !$0.isRetired) }
            .map(\.key)
    }

    package var isEmpty: Bool { keys.isEmpty }

    /// Shows the texts among `values` as texts.
    package func show(in values: inout [CustomValue]) {
        guard !keys.isEmpty else { return }
        for index in values.indices where keys.contains(exactly: values[index].key) {
            values[index].value = values[index].value?.asText
        }
    }

    /// The message of `bytes` with its texts shown, in `arena`; nil if it has no text.
    ///
    /// - Parameter path: The numbers of the fields that lead to a custom value.
    /// - Throws: ``CodecError`` if the message is malformed, or the arena is full.
    package func shown(
        _ bytes: UnsafeRawBufferPointer, path: [UInt32], _ arena: Arena
    ) throws(CodecError) -> UnsafeRawBufferPointer? {
        guard !keys.isEmpty else { return nil }
        var tags: [Int] = []
        try find(path[...], in: bytes, at: 0, &tags)
        guard !tags.isEmpty else { return nil }
        guard let copy = arena.allocate(bytes.count) else {
            throw CodecError(.outOfMemory, "a message with texts does not fit into its memory")
        }
        let shown = UnsafeMutableRawBufferPointer(start: copy, count: bytes.count)
        shown.copyMemory(from: bytes)
        for tag in tags { shown[tag] = CustomTag.text }
        return UnsafeRawBufferPointer(shown)
    }

    /// Adds where the tags of texts stand in a message that begins at `start`.
    private func find(
        _ path: ArraySlice<UInt32>, in bytes: UnsafeRawBufferPointer, at start: Int,
        _ tags: inout [Int]
    ) throws(CodecError) {
        var walk = FieldWalk(bytes)
        while let field = try walk.next() {
            guard field.number == path.first, case .bytes(let value) = field.value else {
                continue
            }
            let offset = start + walk.offset - value.count
            if path.count > 1 {
                try find(path.dropFirst(), in: value, at: offset, &tags)
            } else if let tag = try tagOfText(in: value) {
                tags.append(offset + tag)
            }
        }
    }

    /// Where the tag of `data` stands in an encoded value that answers show as a text.
    private func tagOfText(in value: UnsafeRawBufferPointer) throws(CodecError) -> Int? {
        var walk = FieldWalk(value)
        var isText = false
        var start = 0
        while let field = try walk.next() {
            if case .bytes(let bytes) = field.value {
                if field.number == CustomTag.keyNumber {
                    isText = keys.contains { $0.utf8.elementsEqual(bytes) }
                } else if isText, value[start] == CustomTag.data, isUTF8(bytes) {
                    return start
                }
            }
            start = walk.offset
        }
        return nil
    }

    private func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        return UTF8Check.isValid(start.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
}

/// Tags of a ``CustomValue`` on the wire, each of one byte.
enum CustomTag {
    static let keyNumber: UInt32 = 1
    static let data: UInt8 = 2 << 3 | 2
    static let text: UInt8 = 4 << 3 | 2
}

extension CustomValue.Value {
    /// The stored value of a field of type STRING as answers show it; bytes that are not text stay.
    package var asText: CustomValue.Value {
        guard case .data(let bytes) = self, let text = String(validating: bytes, as: UTF8.self)
        else { return self }
        return .text(text)
    }
}

extension CustomValue.Value {
    /// How many bytes a stored text has; nil for a value that is none.
    var countOfText: Int? {
        guard case .data(let bytes) = self, String(validating: bytes, as: UTF8.self) != nil else {
            return nil
        }
        return bytes.count
    }
}

extension CustomField {
    /// A stored value of the field as answers show it.
    package func shown(_ value: CustomValue.Value?) -> CustomValue.Value? {
        type == .string ? value?.asText : value
    }
}
