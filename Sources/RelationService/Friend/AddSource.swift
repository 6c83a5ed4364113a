import RelationModel

/// The word that says where an application comes from: `AddSource_Type_` and up to eight letters.
enum AddSource {
    static let prefix = "AddSource_Type_"

    /// `text` in the stored form, or nil if it is no source.
    ///
    /// A bare keyword gets the prefix; no text means no source.
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
