import Support

/// Writes names and values as a form of HTML has them (`application/x-www-form-urlencoded`).
enum FormText {
    /// The body of a form, or the query of a target.
    static func text(_ fields: [(String, String)]) -> String {
        fields.map { "\(escaped($0))=\(escaped($1))" }.joined(separator: "&")
    }

    static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "*"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                escaped += "%" + String(hexadecimal: [byte])
            }
        }
        return escaped
    }
}
