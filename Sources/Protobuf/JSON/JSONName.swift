import Memory

/// The names of fields in JSON.
enum JSONName {
    /// "user_id" is "userId".
    static func lowerCamel(_ name: String) -> String {
        var camel = ""
        var isUpper = false
        for character in name {
            if character == "_" {
                isUpper = true
            } else {
                camel += isUpper ? character.uppercased() : String(character)
                isUpper = false
            }
        }
        return camel
    }
}

extension Base64.Spelling {
    /// Both alphabets of RFC 4648, with or without padding.
    static let json = Base64.Spelling(
        lastDigits: "+/-_", needsPadding: false, allowsLooseBits: false)
}
