import Memory
import RelationCalls
import RelationCore
import RelationModel
import Support

/// The point from which an export continues: its snapshot, and the last row that was sent.
struct ExportToken: Equatable {
    private static let version: UInt8 = 1

    let point: UInt64
    var rows: Int64 = 0
    var position: AppExport.Position?

    init(point: UInt64) {
        self.point = point
    }

    /// Reads `text`; nil if it is not a token of `app`.
    init?(_ text: String, of app: App) {
        guard text.utf8.count <= Limits.pageTokenBytes, let bytes = [UInt8](hexadecimal: text),
            bytes.count >= 26, bytes[0] == Self.version,
            bytes[1..<9] == Self.mark(of: app, bytes[9...])
        else { return nil }
        point = bytes[9..<17].reduce(0) { $0 << 8 | UInt64($1) }
        rows = Int64(bitPattern: bytes[17..<25].reduce(0) { $0 << 8 | UInt64($1) })
        let cursor = bytes[26...]
        let length = Int(bytes[25])
        guard length > 0 else { return }
        guard cursor.count > length,
            let user = UserID(String(decoding: cursor.prefix(length), as: UTF8.self))
        else { return nil }
        let section = cursor[cursor.startIndex + length]
        position = AppExport.Position(
            user: user, section: AppExport.Section(rawValue: section),
            rowKey: Array(cursor.dropFirst(length + 1)))
    }

    func text(of app: App) -> String {
        var cursor: [UInt8] = []
        cursor.append(bigEndian: point)
        cursor.append(bigEndian: UInt64(bitPattern: rows))
        let user = Array((position?.user.text ?? "").utf8)
        cursor.append(UInt8(user.count))
        cursor += user
        if let position { cursor += [position.section?.rawValue ?? 0] + position.rowKey }
        return String(hexadecimal: [Self.version] + Self.mark(of: app, cursor[...]) + cursor)
    }

    private static func mark(of app: App, _ cursor: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        Digest.of(Array("ExportApp \(app.id)".utf8) + [0] + cursor)[..<8]
    }
}
