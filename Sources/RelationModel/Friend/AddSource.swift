/// The word for the source of an application: `AddSource_Type_` and up to eight letters.
package enum AddSource {
    /// Which keywords an app takes, each of at most eight bytes.
    package enum Keywords: Sendable {
        /// Letters of ASCII.
        case letters
        /// Any text on one line without control characters, as TIM's users have had it.
        case texts

        fileprivate func have(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .letters: ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar)
            case .texts:
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
        }
    }

    package static let prefix = "AddSource_Type_"
    /// The source of friends and applications that an invitation makes.
    package static let invitation = prefix + "Invite"

    /// Returns `text` in the stored form; nil if it is not a source.
    ///
    /// A bare keyword gets the prefix, and an empty text means no source.
    package static func stored(_ text: String, _ keywords: Keywords) -> String? {
        guard !text.isEmpty else { return "" }
        let keyword = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        let isLegal =
            (1...Limits.sourceKeywordBytes).contains(keyword.utf8.count)
            && keyword.unicodeScalars.allSatisfy(keywords.have)
        return isLegal ? prefix + keyword : nil
    }
}
