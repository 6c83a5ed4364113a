/// The visitor that takes a message out of a JSON tree, by proto3's mapping.
///
/// A field is found by its JSON name or by its name in the contract. A member that belongs to no
/// field is an error, which tells its path.
struct JSONReader: FieldVisitor, OneOfVisitor {
    private let arena: Arena
    /// The path of the message, such as "friends[2].profile"; empty for the outermost.
    private var path: String
    private var members: [String: JSONValue] = [:]
    private(set) var fault: CodecError?

    init(_ arena: Arena) {
        self.arena = arena
        path = ""
    }

    private init(_ arena: Arena, path: String) {
        self.arena = arena
        self.path = path
    }

    /// The message in `value`; the first fault is kept.
    mutating func message<M: CodedMessage>(_ type: M.Type, _ value: JSONValue) -> M {
        if let short = type as? any JSONStringMessage.Type {
            return shortMessage(short, value) as? M ?? M()
        }
        var message = M()
        guard case .object(let pairs) = value else {
            refuse(path, "an object was expected")
            return message
        }
        members = Dictionary(pairs.map { ($0.key, $0.value) }) { _, last in last }
        message.visit(&self)
        if let stranger = members.keys.min() {
            refuse(
                path.isEmpty ? stranger : "\(path).\(stranger)",
                "\(M.schema.fullName) has no such field")
        }
        return message
    }

    private mutating func shortMessage(
        _ type: any JSONStringMessage.Type, _ value: JSONValue
    ) -> any JSONStringMessage {
        if case .string(let string) = value, let message = type.init(jsonString: string) {
            return message
        }
        refuse(path, "a string in the form of \(type.schema.fullName) was expected")
        return type.init()
    }

    private mutating func refuse(_ path: String, _ what: String) {
        let location = path.isEmpty ? "the request" : path
        fault = fault ?? CodecError(.invalidJSON, "\(location): \(what)")
    }

    /// The member of a field, which is removed; nil if it is absent or null, which means the same.
    private mutating func take(_ name: StaticString) -> (path: String, value: JSONValue)? {
        let name = name.description
        let camel = JSONName.lowerCamel(name)
        let here = path.isEmpty ? name : "\(path).\(name)"
        let value = members.removeValue(forKey: camel)
        if camel != name, let other = members.removeValue(forKey: name) {
            if value != nil { refuse(here, "the field comes twice, under both its names") }
            return isNull(other) ? nil : (here, other)
        }
        guard let value, !isNull(value) else { return nil }
        return (here, value)
    }

    private func isNull(_ value: JSONValue) -> Bool {
        if case .null = value { true } else { false }
    }

    private mutating func nested<M: CodedMessage>(_ path: String, _ value: JSONValue) -> M {
        var reader = JSONReader(arena, path: path)
        let message = reader.message(M.self, value)
        fault = fault ?? reader.fault
        return message
    }

    private mutating func scalar<T: Scalar>(_ path: String, _ value: JSONValue) -> T {
        guard let parsed = JSONScalar.parse(value, as: T.fieldType, T.kind) else {
            refuse(path, JSONScalar.expectation(of: T.fieldType))
            return T()
        }
        guard let scalar = T.make(parsed, arena) else {
            fault = fault ?? .arenaIsFull
            return T()
        }
        return scalar
    }

    private mutating func encoded<M: CodedMessage>(_ path: String, _ value: JSONValue) -> Encoded<
        M
    >? {
        let message: M = nested(path, value)
        do {
            return try arena.encode(message)
        } catch {
            fault = fault ?? error
            return nil
        }
    }

    private mutating func list<E>(
        _ name: StaticString, _ read: (inout JSONReader, String, JSONValue) -> E?
    ) -> [E] {
        guard let (path, value) = take(name) else { return [] }
        guard case .array(let elements) = value else {
            refuse(path, "a list was expected")
            return []
        }
        var list: [E] = []
        for (index, element) in elements.enumerated() {
            let here = "\(path)[\(index)]"
            if isNull(element) { refuse(here, "null is no element") }
            if let value = read(&self, here, element) { list.append(value) }
        }
        return list
    }

    private mutating func map<K: MapKey, V>(
        _ name: StaticString, _ read: (inout JSONReader, String, JSONValue) -> V
    ) -> [K: V] {
        guard let (path, value) = take(name) else { return [:] }
        guard case .object(let pairs) = value else {
            refuse(path, "an object was expected")
            return [:]
        }
        var map: [K: V] = [:]
        for (text, value) in pairs {
            let here = "\(path)[\"\(text)\"]"
            guard let key = JSONScalar.parse(key: text, K.kind) else {
                refuse(here, "a key of type \(K.kind.protoName) was expected")
                continue
            }
            guard let key = K.make(key, arena) else {
                fault = fault ?? .arenaIsFull
                continue
            }
            if isNull(value) { refuse(here, "null is no value") }
            map[key] = read(&self, here, value)
        }
        return map
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        guard let (path, json) = take(name) else { return }
        value = scalar(path, json)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        guard let (path, json) = take(name) else { return }
        value = scalar(path, json) as T
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        value = list(name) { $0.scalar($1, $2) }
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout M?)
    {
        guard let (path, json) = take(name) else { return }
        value = nested(path, json) as M
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout [M])
    {
        value = list(name) { $0.nested($1, $2) }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        guard let (path, json) = take(name) else { return }
        value = encoded(path, json)
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        value = list(name) { $0.encoded($1, $2) }
    }

    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        value = map(name) { $0.scalar($1, $2) }
    }

    mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        value = map(name) { $0.nested($1, $2) }
    }

    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        O.visit(&value, &self)
    }

    mutating func unknown(_ fields: inout UnknownFields) {
        // JSON has no place for a field without a name.
    }

    private mutating func set<O: OneOf>(_ value: inout O?, _ path: String, _ new: O) {
        if value != nil { refuse(path, "another field of the same oneof is there as well") }
        value = new
    }

    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        guard let (path, json) = take(name) else { return }
        set(&value, path, make(scalar(path, json)))
    }

    mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        guard let (path, json) = take(name) else { return }
        set(&value, path, make(nested(path, json)))
    }
}
