package import Memory
package import Protobuf

/// The generator of random numbers for tests: small, fast, and the same on every machine for the
/// same seed.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// The next number, by SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The visitor that fills a message at random, and prefers values at the edges.
///
/// Views in the messages point into the arena that it was made with.
package struct RandomMessages: FieldVisitor, OneOfVisitor {
    package private(set) var generator: SeededGenerator
    private let arena: Arena
    /// One field in so many stays as it is; 1 leaves all.
    private let rarity: UInt64
    private var chosenCase = -1
    private var visitedCase = 0
    /// How many messages may still stand inside one another.
    ///
    /// Without this bound and the next one, a message that contains itself several times would grow
    /// for ever.
    private var levels = 8
    /// How many messages there may still be in all.
    private var messagesLeft = 60

    package init(seed: UInt64, _ arena: Arena, rarity: UInt64 = 3) {
        generator = SeededGenerator(seed: seed)
        self.arena = arena
        self.rarity = rarity
    }

    package mutating func next<M: CodedMessage>(_ type: M.Type = M.self) -> M {
        var message = M()
        guard levels > 0, messagesLeft > 0 else { return message }
        let outer = (chosenCase, visitedCase)
        levels -= 1
        messagesLeft -= 1
        message.visit(&self)
        levels += 1
        (chosenCase, visitedCase) = outer
        return message
    }

    private mutating func isSkipped() -> Bool {
        generator.next() % rarity == 0
    }

    private mutating func number<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T {
        switch generator.next() % 8 {
        case 0: 0
        case 1: 1
        case 2: T.max
        case 3: T.min
        case 4: T(truncatingIfNeeded: generator.next() % 300)
        case 5: T(truncatingIfNeeded: generator.next() >> (generator.next() % 64))
        default: T(truncatingIfNeeded: generator.next())
        }
    }

    private mutating func length() -> Int {
        switch generator.next() % 12 {
        case 0: 0
        case 1: Int(generator.next() % 400)
        default: Int(generator.next() % 20)
        }
    }

    private mutating func string() -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x7F, 0x20...0x7E, 0x61...0x7A, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF,
            0x10000...0x10FFFF,
        ]
        var string = String.UnicodeScalarView()
        let range = ranges[Int(generator.next() % 7)]
        for _ in 0..<length() {
            let code = UInt32.random(in: range, using: &generator)
            string.append(Unicode.Scalar(code) ?? "?")
        }
        return String(string)
    }

    private mutating func double() -> Double {
        let edges = [
            0, -0.0, 1, -1.5, .infinity, -.infinity, .nan, .greatestFiniteMagnitude,
            .leastNonzeroMagnitude, 0.1,
        ]
        return Bool.random(using: &generator)
            ? edges[Int(generator.next() % UInt64(edges.count))]
            : Double(Int64(bitPattern: generator.next())) / 1024
    }

    private mutating func float() -> Float {
        let edges: [Float] = [
            0, -0.0, 1, -1.5, .infinity, -.infinity, .nan, .greatestFiniteMagnitude,
            .leastNonzeroMagnitude, 0.1,
        ]
        return Bool.random(using: &generator)
            ? edges[Int(generator.next() % UInt64(edges.count))]
            : Float(Int32(truncatingIfNeeded: generator.next())) / 1024
    }

    private mutating func enumNumber(_ type: FieldType) -> Int32 {
        if case .enumeration(let names) = type, generator.next() % 4 != 0 {
            return names.values[Int(generator.next() % UInt64(names.values.count))].number
        }
        return number()
    }

    private mutating func scalar<T: Scalar>(_ type: T.Type = T.self) -> T {
        let value: ScalarValue =
            switch T.kind {
            case .bool: .bool(Bool.random(using: &generator))
            case .int32, .sint32, .sfixed32: .int32(number())
            case .int64, .sint64, .sfixed64: .int64(number())
            case .uint32, .fixed32: .uint32(number())
            case .uint64, .fixed64: .uint64(number())
            case .float: .float(float())
            case .double: .double(double())
            case .string: .string(string())
            case .bytes: .bytes((0..<length()).map { _ in number(UInt8.self) })
            case .enumeration: .enumeration(enumNumber(T.fieldType))
            }
        guard let scalar = T.make(value, arena) else {
            preconditionFailure("the arena of random messages is full")
        }
        return scalar
    }

    private mutating func encoded<M: CodedMessage>() -> Encoded<M> {
        let bytes = WireWriter.encode(next(M.self))
        guard let copy = bytes.withUnsafeBytes({ arena.copy($0) }) else {
            preconditionFailure("the arena of random messages is full")
        }
        return Encoded(borrowing: copy)
    }

    private mutating func count() -> Int {
        isSkipped() ? 0 : Int(generator.next() % 4)
    }

    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T
    ) {
        if !isSkipped() { value = scalar() }
    }

    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?
    ) {
        if !isSkipped() { value = scalar(T.self) }
    }

    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [T]
    ) {
        value = (0..<count() * 2).map { _ in scalar() }
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout M?
    ) {
        if !isSkipped() { value = next(M.self) }
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [M]
    ) {
        value = (0..<count()).map { _ in next() }
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        if !isSkipped() { value = encoded() as Encoded<M> }
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        value = (0..<count()).map { _ in encoded() }
    }

    package mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        for _ in 0..<count() { value[scalar()] = scalar() }
    }

    package mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        for _ in 0..<count() { value[scalar()] = next() }
    }

    package mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        let outer = (chosenCase, visitedCase)
        // The message is visited once to count the cases and once to fill the chosen one.
        (chosenCase, visitedCase) = (-1, 0)
        O.visit(&value, &self)
        (chosenCase, visitedCase) = (Int(generator.next() % UInt64(visitedCase + 1)), 0)
        O.visit(&value, &self)
        (chosenCase, visitedCase) = outer
    }

    package mutating func unknown(_ fields: inout UnknownFields) {}

    package mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        if chosenCase == visitedCase { value = make(scalar()) }
        visitedCase += 1
    }

    package mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        if chosenCase == visitedCase { value = make(next()) }
        visitedCase += 1
    }
}
