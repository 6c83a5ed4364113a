import Protobuf

/// The members of a JSON object in a request, as the types that a command needs.
///
/// A member that is missing, or of another type, is an error of the whole request.
struct TIMBody {
    private let members: [String: JSONValue]
    let service: TIMService

    /// - Throws: 60003, or 90001 of presence.
    init(_ text: [UInt8], in service: TIMService) throws(TIMError) {
        guard let text = String(validating: text, as: UTF8.self) else {
            throw TIMError(service.noJSON, "the body is not UTF-8")
        }
        let tree: JSONValue
        do throws(CodecError) {
            tree = try JSONValue(parsing: text)
        } catch {
            throw TIMError(service.noJSON, "the body is not JSON: \(error.message)")
        }
        guard let body = TIMBody(tree, service) else {
            throw TIMError(service.noJSON, "the body is not a JSON object")
        }
        self = body
    }

    private init?(_ tree: JSONValue, _ service: TIMService) {
        guard case .object(let list) = tree else { return nil }
        members = Dictionary(list.map { ($0.key, $0.value) }) { first, _ in first }
        self.service = service
    }

    func has(_ name: String) -> Bool { value(name) != nil }

    /// The value; a null is as good as none.
    func value(_ name: String) -> JSONValue? {
        guard let value = members[name] else { return nil }
        if case .null = value { return nil }
        return value
    }

    // MARK: Texts

    func text(_ name: String) throws(TIMError) -> String {
        guard let text = try textIfAny(name) else { throw missing(name) }
        return text
    }

    func textIfAny(_ name: String) throws(TIMError) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { throw wrong(name, "a string") }
        return text
    }

    func texts(_ name: String, atMost most: Int) throws(TIMError) -> [String] {
        guard let list = try textsIfAny(name, atMost: most), !list.isEmpty else {
            throw missing(name)
        }
        return list
    }

    func textsIfAny(_ name: String, atMost most: Int) throws(TIMError) -> [String]? {
        guard let list = try listIfAny(name, atMost: most) else { return nil }
        return try list.map { (value) throws(TIMError) in
            guard case .string(let text) = value else { throw wrong(name, "a list of strings") }
            return text
        }
    }

    /// One of the words of an enum of the vendor's; nil if the member is missing.
    func word<Value>(_ name: String, _ words: [String: Value]) throws(TIMError) -> Value? {
        guard let text = try textIfAny(name) else { return nil }
        guard let value = words[text] else {
            throw wrong(name, words.keys.sorted().joined(separator: " or "))
        }
        return value
    }

    // MARK: Numbers

    /// A whole number that is not negative, perhaps in quotes.
    func number(_ name: String) throws(TIMError) -> Int {
        guard let number = try numberIfAny(name) else { throw missing(name) }
        return number
    }

    func numberIfAny(_ name: String) throws(TIMError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.whole.flatMap({ Int(exactly: $0) }) else {
            throw wrong(name, "a whole number that is not negative")
        }
        return number
    }

    // MARK: Lists

    func objects(_ name: String, atMost most: Int) throws(TIMError) -> [TIMBody] {
        guard let list = try objectsIfAny(name, atMost: most), !list.isEmpty else {
            throw missing(name)
        }
        return list
    }

    func objectsIfAny(_ name: String, atMost most: Int) throws(TIMError) -> [TIMBody]? {
        guard let list = try listIfAny(name, atMost: most) else { return nil }
        return try list.map { (value) throws(TIMError) in
            guard let body = TIMBody(value, service) else { throw wrong(name, "a list of objects") }
            return body
        }
    }

    private func listIfAny(_ name: String, atMost most: Int) throws(TIMError) -> [JSONValue]? {
        guard let value = value(name) else { return nil }
        guard case .array(let list) = value else { throw wrong(name, "a list") }
        guard list.count <= most else {
            throw TIMError(service.badParameter, "\(name) has more than \(most) items")
        }
        return list
    }

    // MARK: Users

    /// The `UserID`, which old clients call `Identifier`.
    func userID() throws(TIMError) -> String {
        guard let value = value("UserID") ?? value("Identifier") else { throw missing("UserID") }
        guard case .string(let text) = value else { throw .userIDIsNoText }
        return text
    }

    /// A list of users that is not one of objects; nil if it is missing.
    ///
    /// - Throws: 60015 for a user that is not a string.
    func userIDsIfAny(_ name: String, atMost most: Int) throws(TIMError) -> [String]? {
        guard let list = try listIfAny(name, atMost: most) else { return nil }
        return try list.map { (value) throws(TIMError) in
            guard case .string(let text) = value else { throw .userIDIsNoText }
            return text
        }
    }

    func missing(_ name: String) -> TIMError {
        TIMError(service.badParameter, "\(name) is missing or empty")
    }

    func wrong(_ name: String, _ wanted: String) -> TIMError {
        TIMError(service.badParameter, "\(name) is not \(wanted)")
    }
}

extension JSONValue {
    /// A whole number from 0, perhaps in quotes; nil for anything else.
    var whole: UInt64? {
        switch self {
        case .number(let digits), .string(let digits):
            digits.utf8.allSatisfy { $0 &- 0x30 <= 9 } ? UInt64(digits) : nil
        default: nil
        }
    }
}
