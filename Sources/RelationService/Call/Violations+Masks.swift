package import Protobuf
package import RelationCalls
import RelationModel

// The errors of the paths of field masks, in words that name the path.
extension Violations {
    /// The paths of a mask; none of a mask that names too many, which is a violation.
    package mutating func paths(of mask: FieldMask?, _ name: String) -> [String] {
        let paths = mask?.paths ?? []
        guard paths.count > Limits.maskPaths else { return paths }
        add(name, "names \(paths.count) paths; at most \(Limits.maskPaths) may be named")
        return []
    }

    /// Adds a violation for a path that the mask `name` may not name.
    ///
    /// - Parameters:
    ///   - rule: The words for a path that is well formed; the path in quotes comes before them.
    ///   - takesKeys: Whether `custom.KEY` is a path of the mask.
    ///   - isField: Whether a path is a field that has no parts with paths of their own.
    package mutating func add(
        path: String, in name: String, _ rule: String, takesKeys: Bool = false,
        isField: (String) -> Bool
    ) {
        let error = Self.error(of: path, takesKeys: takesKeys, isField: isField) ?? rule
        add(name, "\"\(path.echoed(atMost: 64))\" \(error)")
    }

    /// The error of the form of a path; nil if it is well formed.
    private static func error(
        of path: String, takesKeys: Bool, isField: (String) -> Bool
    ) -> String? {
        guard !path.isEmpty else { return "is an empty path" }
        guard path.utf8.allSatisfy(isOfName) else {
            return "has a character that no name of a field has"
        }
        let names = path.split(separator: ".", omittingEmptySubsequences: false)
        guard !names.contains("") else { return "has an empty name between its dots" }
        if takesKeys, names.count == 2, names[0] == "custom" {
            return "names no custom field that profiles of this app have"
        }
        if names.count > 1, isField(String(names[0])) {
            return "goes on after a field that is named as a whole"
        }
        let snake = snakeCase(path)
        guard snake != path, isField(snake) else { return nil }
        return "is a name of JSON; outside JSON it is \"\(snake)\""
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func snakeCase(_ path: String) -> String {
        var snake = ""
        for letter in path {
            if letter.isUppercase { snake += "_" }
            snake += letter.lowercased()
        }
        return snake
    }
}
