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
