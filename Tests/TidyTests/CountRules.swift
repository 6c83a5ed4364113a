/// A rule of how stored counts are lowered: a damaged one traps if it is lowered below 0.
enum CountRules {
    private static let numbers: Set = ["UInt32", "UInt64", "Int32", "Int64"]

    /// The names of the numbers in the rows of the store.
    static func storedNumbers(in files: [SourceFile]) -> Set<String> {
        var names: Set<String> = []
        for file in files {
            let words = file.tokens.map(\.text)
            guard words.contains("CodedMessage") else { continue }
            for index in words.indices.dropLast(3)
            where words[index] == "var" && words[index + 2] == ":"
                && numbers.contains(words[index + 3])
            {
                names.insert(words[index + 1])
            }
        }
        return names
    }

    /// Plain subtractions from a member with one of these names, and from what a subscript gives.
    static func plainSubtractions(from names: Set<String>, in file: SourceFile) -> [Finding] {
        let tokens = file.tokens
        return tokens.indices.dropFirst(2).dropLast().compactMap { index in
            guard tokens[index].text == "-", tokens[index + 1].text == "=",
                tokens[index].line == tokens[index + 1].line
            else { return nil }
            let name = tokens[index - 1].text
            let isStored = tokens[index - 2].text == "." && names.contains(name)
            guard isStored || name == "]" else { return nil }
            return Finding(
                file, tokens[index].line, "decrease(by:) lowers a stored count, and -= may trap")
        }
    }
}
