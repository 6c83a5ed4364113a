import Protobuf
package import RelationAPI
package import RelationCore
package import RelationModel

/// The check of the values of a custom field, of a profile or of a friend.
package struct CustomCheck {
    private let settings: AppSettings

    package init(_ settings: AppSettings) {
        self.settings = settings
    }

    /// Returns `value` as a field of `type` stores it, nil if it is empty, or the error of its kind
    /// or length.
    package func stored(
        _ value: TagValue.Value, _ type: CustomFieldType
    ) -> Result<CustomValue.Value?, ProfileFieldError> {
        switch (type, value) {
        case (.string, .text(let text)): return self.text(text)
        case (.string, .data(let bytes)):
            // A client that knows no text of a custom field sends its bytes.
            guard let text = String(validating: bytes, as: UTF8.self) else {
                return .failure(.wrongKind)
            }
            return self.text(text)
        case (.bytes, .data(let bytes)): return self.bytes(bytes)
        case (.bytes, .text(let text)): return self.bytes(Array(text.utf8))
        case (.uint64, .number(let number)): return .success(.number(number))
        // A value that is taken away has no kind.
        case (.uint64, .text("")), (.uint64, .data([])): return .success(nil)
        default: return .failure(.wrongKind)
        }
    }

    private func text(_ text: String) -> Result<CustomValue.Value?, ProfileFieldError> {
        guard settings.limits.customValue.allows(text) else { return .failure(.tooLong) }
        return .success(text.isEmpty ? nil : .data(Array(text.utf8)))
    }

    private func bytes(_ bytes: [UInt8]) -> Result<CustomValue.Value?, ProfileFieldError> {
        guard bytes.count <= settings.limits.customValue.count else { return .failure(.tooLong) }
        return .success(bytes.isEmpty ? nil : .data(bytes))
    }
}

extension [CustomValue] {
    /// The values with other texts, by the paths of their fields.
    func replacing(_ texts: [String: String]) -> [CustomValue] {
        map { custom in
            guard let text = texts[CustomPath.prefix + custom.key] else { return custom }
            // A field of texts takes bytes too, and one of bytes takes no text.
            return CustomValue.with {
                $0.key = custom.key
                $0.value = .data([UInt8](text.utf8))
            }
        }
    }
}

extension AppSettings {
    /// The value of a custom field, in the form of a tag; nil if it has none, or a text for a field
    /// of bytes.
    ///
    /// A tag may give bytes as a text, as in TIM; a custom value has a kind of its own for them.
    func tagValue(of custom: CustomValue, _ owner: CustomFieldOwner) -> TagValue.Value? {
        switch custom.value {
        case .data(let bytes): return .data(bytes)
        case .number(let number): return .number(number)
        case .text(let text):
            let isOfBytes = customField(custom.key, of: owner)?.type == .bytes
            return isOfBytes && !text.isEmpty ? nil : .text(text)
        case nil: return nil
        }
    }

    /// The texts among checked values of custom fields, by the paths of their fields; one that is
    /// taken away is empty.
    ///
    /// A field of bytes has a text if its bytes are one.
    func texts(of values: [CustomValue], _ owner: CustomFieldOwner) -> [String: String] {
        var texts: [String: String] = [:]
        for custom in values {
            guard let type = customField(custom.key, of: owner)?.type, type != .uint64 else {
                continue
            }
            switch custom.value {
            case .data(let bytes):
                texts[CustomPath.prefix + custom.key] = String(
                    validating: bytes, as: UTF8.self)
            case nil: texts[CustomPath.prefix + custom.key] = ""
            default: break
            }
        }
        return texts
    }
}
