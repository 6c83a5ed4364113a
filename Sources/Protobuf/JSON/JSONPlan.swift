/// The facts about a message that its JSON needs, compiled from its ``Schema``.
///
/// It is plain memory that a ``JSONForm`` owns, so that the codec counts no references. Plans point
/// to one another, because a message may hold itself.
struct JSONPlan {
    enum Form: UInt8 {
        case object, duration, timestamp, mask, any
    }

    /// The full name of the message; for an entry of a map, the name of the field.
    let name: JSONBytes
    let form: Form
    /// The fields in the order in which JSON has them: a case of a `oneof` stands at the number of
    /// its first case.
    let fields: UnsafePointer<JSONField>
    let count: Int
    /// Both names of each field.
    let names: JSONNames
    /// For small field numbers: 1 + the index of the field, or 0.
    let directory: UnsafePointer<UInt8>
    let directoryCount: Int

    /// The index of the field with that name; -1 if there is none.
    ///
    /// - Parameter guess: The field that mostly comes here.
    @inline(__always) func index(of name: JSONBytes, guess: Int) -> Int {
        if guess < count, fields[guess].jsonName.equals(name) { return guess }
        return names.index(of: name)
    }

    /// The index of the field with that number; -1 if there is none.
    @inline(__always) func index(of number: UInt32) -> Int {
        if number < directoryCount { return Int(directory[Int(number)]) &- 1 }
        return search(number)
    }

    private func search(_ number: UInt32) -> Int {
        for index in 0..<count where fields[index].number == number { return index }
        return -1
    }
}

/// The facts about a field that its JSON needs.
struct JSONField {
    enum Shape: UInt8 {
        case singular, list, packed, map
    }

    let number: UInt32
    /// The tag of a record: of one value, or of a packed list.
    let tag: UInt32
    /// The wire type of one value.
    let wireType: UInt32
    /// The kind of a scalar; of no meaning if there is a child.
    let kind: ScalarKind
    let shape: Shape
    /// Whether the field is absent if it is zero.
    let isImplicit: Bool
    /// 1 + the index of the `oneof`; 0 for other fields.
    let oneof: Int
    /// The contract's name.
    let name: JSONBytes
    /// A comma, the name in JSON in quotes, and a colon.
    let key: JSONBytes
    /// The message in the field, or the entry of the map, which has a key and a value.
    let child: UnsafePointer<JSONPlan>?
    let values: UnsafePointer<JSONEnum>?

    @inline(__always) var jsonName: JSONBytes {
        JSONBytes(start: key.start + 2, count: key.count &- 4)
    }

    @inline(__always) var isNumber: Bool { wireType != 2 }

    /// Whether a record with that tag belongs to the field; else it is unknown.
    @inline(__always) func takes(_ tag: UInt32) -> Bool {
        tag & 7 == wireType || (tag & 7 == 2 && isNumber && shape != .singular)
    }

    /// The words of a reader that meets another value.
    var expectation: String {
        if let values {
            let names = values.pointee
            return "a name or a number of \(names.name.text) was expected: \(names.list)"
        }
        if kind == .bytes { return "a string in base64 was expected" }
        return "a value of type \(kind.protoName) was expected"
    }
}

/// The names of an enum.
struct JSONEnum {
    struct Value {
        let number: Int32
        /// The name in quotes.
        let quoted: JSONBytes
    }

    let name: JSONBytes
    /// The values in ascending order of the numbers.
    let values: UnsafePointer<Value>
    let count: Int
    let names: JSONNames

    /// The names in the order of their numbers, as an error lists them; the last ones are left out
    /// if there are many.
    var list: String {
        var list = ""
        for index in 0..<count {
            let quoted = values[index].quoted
            let name = JSONBytes(start: quoted.start + 1, count: quoted.count - 2).text
            guard list.utf8.count + name.utf8.count < CodecLimits.listedNameBytes else {
                return "\(list) and \(count - index) more"
            }
            list += index == 0 ? name : ", \(name)"
        }
        return list
    }

    /// The name of a number in quotes; nil if it has none.
    func name(of number: Int32) -> JSONBytes? {
        // Most enums count from zero.
        let guess = Int(number)
        if guess >= 0, guess < count, values[guess].number == number {
            return values[guess].quoted
        }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < count && values[low].number == number ? values[low].quoted : nil
    }
}

/// The messages that an Any may hold.
struct JSONAnys {
    /// Full names.
    let names: JSONNames
    let plans: UnsafePointer<UnsafePointer<JSONPlan>>

    /// The plan of the type that a URL names after its last slash; nil if it is unknown.
    func plan(of url: JSONBytes) -> UnsafePointer<JSONPlan>? {
        guard let name = Self.name(in: url) else { return nil }
        let index = names.index(of: name)
        return index < 0 ? nil : plans[index]
    }

    /// The name after the last slash.
    static func name(in url: JSONBytes) -> JSONBytes? {
        guard let slash = url.raw.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return JSONBytes(start: url.start + slash + 1, count: url.count - slash - 1)
    }
}
