/// The text of a `FieldMask`.
enum JSONMask {
    /// The paths of a `FieldMask` of its text: "remark,userId" is `remark` and `user_id`.
    ///
    /// It returns nil for a text that would be written in another way, for example with empty names
    /// or an underscore.
    static func paths(_ text: JSONBytes) -> [[UInt8]]? {
        guard text.count > 0 else { return [] }
        var paths: [[UInt8]] = [[]]
        for byte in text.raw {
            switch byte {
            case UInt8(ascii: "_"): return nil
            case UInt8(ascii: ","): paths.append([])
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                paths[paths.count - 1] += [UInt8(ascii: "_"), byte | 0x20]
            default: paths[paths.count - 1].append(byte)
            }
        }
        return paths.contains { $0.isEmpty } ? nil : paths
    }

    /// The text of a `FieldMask`; nil if a path would not come back.
    ///
    /// `user__id` and `userID` would come back as `user_id`.
    static func text(_ paths: [JSONBytes]) -> [UInt8]? {
        var text: [UInt8] = []
        for (index, path) in paths.enumerated() {
            guard path.count > 0 else { return nil }
            if index > 0 { text.append(UInt8(ascii: ",")) }
            var isUpper = false
            for byte in path.raw {
                let isLetter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
                switch byte {
                case UInt8(ascii: ","), UInt8(ascii: "A")...UInt8(ascii: "Z"): return nil
                case _ where isUpper && !isLetter: return nil
                case UInt8(ascii: "_"): isUpper = true
                default:
                    text.append(isUpper ? byte & 0xDF : byte)
                    isUpper = false
                }
            }
            if isUpper { return nil }
        }
        return text
    }
}
