// Swift's `Codable` is proto3's JSON as a tree, in the containers of whatever format: there is one
// implementation for all messages, and a file has the names that the contract has.
extension Message {
    /// Reads the message from proto3's JSON, as Swift's decoders of JSON, property lists and the
    /// like have it.
    ///
    /// - Throws: `DecodingError`, also for a field that this version does not know; the errors of
    ///   `decoder`.
    public init(from decoder: any Swift.Decoder) throws {
        let text = try CodableTree(from: decoder).text
        do throws(MessageError) {
            try self.init(json: text)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.description))
        }
    }

    /// Writes the message as proto3's JSON; fields that are not set are left out.
    ///
    /// Secrets are written, unlike in ``description``.
    ///
    /// - Throws: `EncodingError` if a field has a value for which there is no JSON; the errors of
    ///   `encoder`.
    public func encode(to encoder: any Swift.Encoder) throws {
        let tree: CodableTree
        do {
            tree = CodableTree(try JSONValue(parsing: try json()))
        } catch {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "\(error)"))
        }
        try tree.encode(to: encoder)
    }
}

extension OpenEnum {
    /// Reads the contract's name of a value, such as `FRIEND_STATUS_SUCC`, or its number.
    ///
    /// - Throws: `DecodingError` for a name that this version does not know; the errors of
    ///   `decoder`.
    public init(from decoder: any Swift.Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let name = try? value.decode(String.self) else {
            self.init(rawValue: try value.decode(Int32.self))
            return
        }
        guard let number = Self.schema.number(named: name) else {
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "\(Self.schema.fullName) has no value \(name)")
        }
        self.init(rawValue: number)
    }

    /// Writes the contract's name of the value, or its number if this version does not know it.
    ///
    /// - Throws: The errors of `encoder`.
    public func encode(to encoder: any Swift.Encoder) throws {
        var value = encoder.singleValueContainer()
        if let name {
            try value.encode(name)
        } else {
            try value.encode(rawValue)
        }
    }
}

/// A tree of JSON in the containers of Swift's `Codable`.
private struct CodableTree: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) { nil }
    }

    private let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    init(from decoder: any Swift.Decoder) throws {
        if let object = try? decoder.container(keyedBy: Key.self) {
            value = .object(
                try object.allKeys.map { key in
                    (key.stringValue, try object.decode(CodableTree.self, forKey: key).value)
                })
        } else if var list = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !list.isAtEnd { elements.append(try list.decode(CodableTree.self).value) }
            value = .array(elements)
        } else {
            value = try Self.single(try decoder.singleValueContainer())
        }
    }

    private static func single(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let text = try? container.decode(String.self) { return .string(text) }
        if let isTrue = try? container.decode(Bool.self) { return .bool(isTrue) }
        if let number = try? container.decode(Int64.self) { return .number("\(number)") }
        if let number = try? container.decode(UInt64.self) { return .number("\(number)") }
        let number = try container.decode(Double.self)
        if number.isNaN { return .string("NaN") }
        if number.isInfinite { return .string(number < 0 ? "-Infinity" : "Infinity") }
        return .number("\(number)")
    }

    func encode(to encoder: any Swift.Encoder) throws {
        switch value {
        case .object(let members):
            var object = encoder.container(keyedBy: Key.self)
            for (key, member) in members {
                try object.encode(CodableTree(member), forKey: Key(stringValue: key))
            }
        case .array(let elements):
            var list = encoder.unkeyedContainer()
            for element in elements { try list.encode(CodableTree(element)) }
        case .null, .bool, .number, .string:
            var container = encoder.singleValueContainer()
            try encode(in: &container)
        }
    }

    private func encode(in container: inout any SingleValueEncodingContainer) throws {
        switch value {
        case .bool(let isTrue): try container.encode(isTrue)
        case .string(let text): try container.encode(text)
        case .number(let text):
            if let number = Int64(text) {
                try container.encode(number)
            } else if let number = UInt64(text) {
                try container.encode(number)
            } else {
                try container.encode(Double(text) ?? .nan)
            }
        case .null, .array, .object: try container.encodeNil()
        }
    }

    /// The tree as a text of JSON.
    var text: String { Self.text(of: value) }

    private static func text(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let isTrue): "\(isTrue)"
        case .number(let text): text
        case .string(let text): JSONQuote.text(text)
        case .array(let elements): "[\(elements.map { text(of: $0) }.joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { text(ofMember: $0.key, $0.value) }.joined(separator: ","))}"
        }
    }

    private static func text(ofMember key: String, _ value: JSONValue) -> String {
        "\(JSONQuote.text(key)):\(text(of: value))"
    }
}
