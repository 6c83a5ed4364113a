import Protobuf
import RelationModel

extension String {
    /// The text as an answer repeats it: its beginning, if it is longer than `limit` bytes.
    func echoed(atMost limit: Int = Limits.echoedBytes) -> String {
        guard utf8.count > limit else { return self }
        // A character that the limit cuts in two is left out.
        var end = utf8.index(startIndex, offsetBy: limit)
        while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension Text {
    /// The same for a view: it ends earlier.
    func echoed() -> Text {
        guard count > Limits.echoedBytes else { return self }
        return withBytes { bytes in
            var end = Limits.echoedBytes
            while UTF8.isContinuation(bytes[end]) { end -= 1 }
            return Text(borrowing: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        }
    }
}

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

/// The names of the groups that a friend is to be in.
enum GroupNames {
    /// Whether a group could have that name: whatever the app allows today, it may have allowed
    /// longer ones before.
    static func mayExist(_ name: String) -> Bool {
        !name.isEmpty && AppLimits.maxGroupName.allows(name)
    }

    /// Whether every name is legal, none is given twice, and they are no more than a list may hold.
    static func areLegal(_ names: [String], _ limits: AppLimits) -> Bool {
        guard names.count <= ServiceLimits.groupNames else { return false }
        var seen: Set<[UInt8]> = []
        return names.allSatisfy { name in
            !name.isEmpty && limits.groupName.allows(name)
                && seen.insert(Array(name.utf8)).inserted
        }
    }
}
