/// Commands and answers in Redis' protocol.
enum RedisCommand {
    /// A command of these words.
    static func bytes(_ words: [String]) -> [UInt8] {
        var bytes = Array("*\(words.count)\r\n".utf8)
        for word in words { bytes += text(word) }
        return bytes
    }

    /// The answer that is one number.
    static func number(_ value: Int) -> [UInt8] { Array(":\(value)\r\n".utf8) }

    /// The answer that is a list of numbers.
    static func numbers(_ values: [Int]) -> [UInt8] {
        Array("*\(values.count)\r\n".utf8) + values.flatMap(number)
    }

    /// A word of a command, or the answer that is a text, with its length.
    static func text(_ value: String) -> [UInt8] {
        Array("$\(value.utf8.count)\r\n\(value)\r\n".utf8)
    }
}
