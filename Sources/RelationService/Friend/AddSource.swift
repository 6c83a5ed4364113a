import RelationCore
import RelationModel

/// The word for the source of an application: `AddSource_Type_` and up to eight letters.
enum AddSource {
    /// Which keywords an app takes, each of at most eight bytes.
    enum Keywords {
        /// Letters of ASCII.
        case letters
        /// Any text without control characters, as TIM's users have had it.
        case texts

        init(_ settings: AppSettings) {
            self = settings.keepsTIMValues ? .texts : .letters
        }

        fileprivate func have(_ byte: UInt8) -> Bool {
            switch self {
            case .letters:
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            case .texts: byte >= 0x20 && byte != 0x7F
            }
        }
    }

    static let prefix = "AddSource_Type_"
    /// The source of friends and applications that an invitation makes.
    static let invitation = prefix + "Invite"

    /// Returns `text` in the stored form; nil if it is not a source.
    ///
    /// A bare keyword gets the prefix, and an empty text means no source.
    static func stored(_ text: String, _ keywords: Keywords) -> String? {
        guard !text.isEmpty else { return "" }
        let keyword = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        let isLegal =
            (1...Limits.sourceKeywordBytes).contains(keyword.utf8.count)
            && keyword.utf8.allSatisfy(keywords.have)
        return isLegal ? prefix + keyword : nil
    }
}
