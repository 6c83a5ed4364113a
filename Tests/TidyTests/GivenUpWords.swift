/// The words that the glossary refuses, and how names are searched for them.
struct GivenUpWords {
    /// As the glossary has them: in lower case, with a space between the parts of a name.
    let list: [String]
    /// Each form of each word, as the parts of a name have it.
    private let forms: Set<[String]>
    /// Each form in one piece.
    private let joined: Set<String>

    init(_ list: [String]) {
        self.list = list
        forms = Set(list.flatMap { Self.forms(of: $0.split(separator: " ").map(String.init)) })
        joined = Set(forms.map { $0.joined() })
    }

    /// A single word is also a verb; a name of several parts is at most a plural.
    private static func forms(of parts: [String]) -> [[String]] {
        guard parts.count == 1, let word = parts.first else {
            return [parts, parts.dropLast() + [parts[parts.count - 1] + "s"]]
        }
        var forms = ["", "s", "es", "d", "ed", "ing"].map { word + $0 }
        if word.hasSuffix("e") { forms.append(word.dropLast() + "ing") }
        if word.hasSuffix("y") { forms += ["ies", "ied"].map { word.dropLast() + $0 } }
        return forms.map { [$0] }
    }

    /// Whether a form of a word is the name, or some parts of it in a row.
    func refuses(_ name: some StringProtocol) -> Bool {
        let parts = Self.parts(of: name)
        if joined.contains(name.lowercased()) { return true }
        let longest = forms.map(\.count).max() ?? 0
        return parts.indices.contains { start in
            (1...max(1, longest)).contains { count in
                start + count <= parts.count && forms.contains(Array(parts[start..<start + count]))
            }
        }
    }

    /// The words of a name in lower case: HTTPHead has "http" and "head", A_B "a" and "b".
    private static func parts(of name: some StringProtocol) -> [String] {
        let letters = Array(name.unicodeScalars)
        var parts: [String] = []
        var isInWord = false
        for (index, letter) in letters.enumerated() {
            guard letter.properties.isAlphabetic else {
                isInWord = false
                continue
            }
            let isUpper = letter.properties.isUppercase
            let followsLower = index > 0 && letters[index - 1].properties.isLowercase
            let precedesLower =
                index + 1 < letters.count && letters[index + 1].properties.isLowercase
            if !isInWord || isUpper && (followsLower || precedesLower) { parts.append("") }
            parts[parts.count - 1] += String(letter).lowercased()
            isInWord = true
        }
        return parts
    }

    /// The names and words of a text: runs of ASCII letters, digits and low lines.
    static func names(in text: String) -> [Substring] {
        text.utf8.split { !isPartOfName[Int($0)] }.map { Substring($0) }
    }

    private static let isPartOfName: [Bool] = (0...UInt8.max).map { byte in
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
