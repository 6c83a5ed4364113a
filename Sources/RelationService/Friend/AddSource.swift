import RelationModel

/// The word for the source of an application: `AddSource_Type_` and up to eight letters.
enum AddSource {
    static let prefix = "AddSource_Type_"
    /// The source of friends and applications that an invitation makes.
    static let invitation = prefix + "Invite"

    /// Returns `text` in the stored form; nil if it is not a source.
    ///
    /// A bare keyword gets the prefix, and an empty text means no source.
    static func stored(_ text: String) -> String? {
        guard !text.isEmpty else { return "" }
        let keyword = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        let isLegal =
            (1...Limits.sourceKeywordBytes).contains(keyword.utf8.count)
            && keyword.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
        return isLegal ? prefix + keyword : nil
    }
}
