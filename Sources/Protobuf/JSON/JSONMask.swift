/// The text of a `FieldMask`: paths with commas between them, of names with dots between them.
///
/// A name of the contract is read in lowerCamelCase, as proto3 says, or as in the contract, and is
/// written in lowerCamelCase. Behind ``FieldMask/keyedField`` stands a key, which is read and
/// written letter by letter: `favColor` and `fav_color` are two keys.
enum JSONMask {
    /// Why a text is not a mask.
    enum MaskError {
        /// The path at that position, counted from 1, has no letters.
        case empty(Int)
        case tooMany

        var words: String {
            switch self {
            case .empty(let position): "path \(position) of the mask is empty"
            case .tooMany: "the mask names more than \(CodecLimits.maskPaths) paths"
            }
        }
    }

    private typealias Bytes = Slice<UnsafeRawBufferPointer>

    /// Hands out the paths of a text, as the contract writes them; an empty text has none.
    static func read(_ text: JSONBytes, _ body: ([UInt8]) -> Void) -> MaskError? {
        guard text.count > 0 else { return nil }
        var path: [UInt8] = []
        var rest = text.raw[...]
        for position in 1...CodecLimits.maskPaths {
            let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
            guard end > rest.startIndex else { return .empty(position) }
            path.removeAll(keepingCapacity: true)
            read(rest[..<end], to: &path)
            body(path)
            guard end < rest.endIndex else { return nil }
            rest = rest[(end + 1)...]
        }
        return .tooMany
    }

    private static func read(_ text: Bytes, to path: inout [UInt8]) {
        forEachPart(of: text) { part, isKey in
            // A name that is not in lowerCamelCase is taken as it is.
            let isCamel = part.first.map { !isUpper($0) } ?? false
            guard !isKey, isCamel, !part.contains(UInt8(ascii: "_")) else { return path += part }
            for byte in part {
                if isUpper(byte) { path.append(UInt8(ascii: "_")) }
                path.append(isUpper(byte) ? byte | 0x20 : byte)
            }
        }
    }

    /// Appends the text of a path; false if the path would not come back.
    ///
    /// `user__id` and `userID` would come back as `user_id`.
    static func write(_ path: JSONBytes, to text: inout [UInt8]) -> Bool {
        guard path.count > 0, !path.raw.contains(UInt8(ascii: ",")) else { return false }
        var comesBack = true
        forEachPart(of: path.raw[...]) { part, isKey in
            guard !isKey else { return text += part }
            var isNext = false
            for (index, byte) in part.enumerated() {
                let isLower = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
                if isUpper(byte) || isNext && !isLower { comesBack = false }
                if byte == UInt8(ascii: "_") {
                    if index == 0 { comesBack = false }
                    isNext = true
                } else {
                    text.append(isNext ? byte & 0xDF : byte)
                    isNext = false
                }
            }
            if isNext { comesBack = false }
        }
        return comesBack
    }

    /// Visits the names and dots of a path, and its key: all that comes after the field with keys.
    private static func forEachPart(of path: Bytes, _ visit: (Bytes, _ isKey: Bool) -> Void) {
        var rest = path
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            let name = rest[..<dot]
            visit(name, false)
            rest = rest[dot...]
            if name.elementsEqual(FieldMask.keyedField.utf8) { return visit(rest, true) }
            visit(rest.prefix(1), false)
            rest = rest.dropFirst()
        }
        visit(rest, false)
    }

    private static func isUpper(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    }
}
