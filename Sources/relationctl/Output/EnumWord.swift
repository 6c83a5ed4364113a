import Protobuf

/// The words of an enum of the contract: its names in lower case, without their common beginning.
///
/// `SUSPENSION_LEVEL_BANNED` is `banned` after `SUSPENSION_LEVEL_`.
struct EnumWord<Value: OpenEnum> {
    let prefix: String

    /// The word of a value; its number if the contract has no name for it.
    func callAsFunction(_ value: Value) -> String {
        guard let name = value.name else { return "\(value.rawValue)" }
        return name.dropFirst(prefix.count).lowercased()
    }

    /// The value of a word.
    ///
    /// - Throws: ``Failure`` with all words, but for that of 0, which stands for no value.
    func value(_ word: String) throws -> Value {
        if let number = Value.schema.number(named: prefix + word.uppercased()), number != 0 {
            return Value(rawValue: number)
        }
        let words = Value.schema.values.dropFirst().map {
            $0.name.dropFirst(prefix.count).lowercased()
        }
        throw Failure("no \(word); there are \(words.joined(separator: ", "))", .misuse)
    }
}
