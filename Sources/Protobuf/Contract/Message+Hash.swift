// One visitor hashes every message: a synthesized function for each type would be code for each
// type. Equal messages have equal hashes, also where equal texts or numbers differ in their bytes,
// so it is not the encoding that is hashed.
extension Message {
    /// Hashes the fields of the message.
    ///
    /// Equal messages hash alike, and messages are seldom alike that are not equal.
    public func hash(into hasher: inout Hasher) {
        // A message without a codec is not of the contract, and hashes itself if it can.
        guard let coded = self as? any CodedMessage else { return }
        var fields = FieldHashes(hasher)
        fields.add(coded)
        hasher = fields.hasher
    }
}

/// The visitor that hashes each field.
private struct FieldHashes: FieldVisitor, OneOfVisitor {
    private(set) var hasher: Hasher

    init(_ hasher: Hasher) {
        self.hasher = hasher
    }

    mutating func add(_ message: some CodedMessage) {
        var message = message
        message.visit(&self)
    }

    private mutating func add<M: CodedMessage>(_ value: Encoded<M>) {
        value.withBytes { hasher.combine(bytes: $0) }
    }

    /// The entries of a map in whatever order they come.
    private mutating func add<K: MapKey, V>(
        _ map: [K: V], _ value: (V, inout FieldHashes) -> Void
    ) {
        var sum = 0
        for (key, held) in map {
            var entry = FieldHashes(Hasher())
            entry.hasher.combine(key)
            value(held, &entry)
            sum ^= entry.hasher.finalize()
        }
        hasher.combine(map.count)
        hasher.combine(sum)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        hasher.combine(value.scalarValue)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        hasher.combine(value?.scalarValue)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        hasher.combine(value.count)
        for element in value { hasher.combine(element.scalarValue) }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout M?
    ) {
        hasher.combine(value != nil)
        if let value { add(value) }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [M]
    ) {
        hasher.combine(value.count)
        for element in value { add(element) }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        hasher.combine(value != nil)
        if let value { add(value) }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        hasher.combine(value.count)
        for element in value { add(element) }
    }

    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        add(value) { $1.hasher.combine($0.scalarValue) }
    }

    mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        add(value) { $1.add($0) }
    }

    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        hasher.combine(value != nil)
        O.visit(&value, &self)
    }

    /// Fields that are not known have no part in the hash: it may be equal all the same.
    mutating func unknown(_ fields: inout UnknownFields) {}

    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        guard let held = value.flatMap(get) else { return }
        hasher.combine(number)
        hasher.combine(held.scalarValue)
    }

    mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        guard let held = value.flatMap(get) else { return }
        hasher.combine(number)
        add(held)
    }
}
