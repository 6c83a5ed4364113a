package import Protobuf

/// A file of a backup.
package struct BackupFile: CodedMessage, Equatable {
    /// The file with the format of the rows.
    package static let formatPath = "FORMAT"
    /// The folder of the engine's files.
    package static let rows = "rows"

    /// Its path below the backup's folder.
    package var path = ""
    package var bytes: Int64 = 0
    /// The SHA-256 of its bytes, in 64 hexadecimal digits.
    package var sha256 = ""

    package init() {}

    package static let schema = Schema("relation.store.BackupFile", BackupFile.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "path", &path)
        visitor.field(2, "bytes", &bytes)
        visitor.field(3, "sha256", &sha256)
    }

    /// Whether a backup may have a file of that path, besides its manifest.
    ///
    /// A path leads nowhere else: it is `FORMAT`, or a plain name in the folder `rows`.
    package static func isPath(_ path: String) -> Bool {
        if path == formatPath { return true }
        guard path.hasPrefix("\(rows)/"), path.utf8.count <= BackupLimits.pathBytes
        else { return false }
        let name = path.utf8.dropFirst(rows.utf8.count + 1)
        return !name.isEmpty && name.first != UInt8(ascii: ".") && name.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
