import RelationAPI
import RelationModel
import Testing
import TextFiles

@testable import Migrations

/// Tables of Nakama become rows of an export.
struct NakamaReaderTests {
    private static let head = "id,username,display_name,metadata,create_time\n"
    private static let edgeHead = "source_id,destination_id,state,update_time,metadata\n"
    private static let time = "2020-09-13 12:26:40+00"

    private func file(_ text: String) throws -> InputFile {
        try UnnamedFile.opened(Array(text.utf8))
    }

    private func reader(users: String, edges: String) throws -> NakamaReader {
        try NakamaReader(
            NakamaTables(
                users: file(users), edges: file(edges),
                NakamaTables.Keys(userMetadata: "Meta", userTimezone: "", friendMetadata: "")))
    }

    private func users(_ names: String...) -> String {
        Self.head + names.map { "\($0),\($0),,{},\(Self.time)\n" }.joined()
    }

    @Test func `Each state becomes the row of its kind`() throws {
        let edges = [
            "ann,bob,0", "bob,ann,0", "ann,eve,3", "zoe,ann,1", "ann,zoe,2", "bob,eve,4",
        ].map { "\($0),\(Self.time),{}\n" }.joined()
        let reader = try reader(
            users: users("zoe", "bob", "ann", "eve"), edges: Self.edgeHead + edges)
        let read = try reader.read(0..<reader.count)
        #expect(reader.count == 4 && reader.losses.isEmpty && read.losses.isEmpty)
        var rows: [String] = []
        for row in read.rows {
            switch row.row {
            case .friendEntry(let row):
                rows.append("friend \(row.userID) \(row.entry?.userID ?? "")")
            case .blacklistEntry(let row):
                rows.append("block \(row.userID) \(row.entry?.userID ?? "")")
            case .application(let row):
                let type = row.application?.pendencyType == .comeIn ? "from" : "to"
                rows.append("apply \(row.userID) \(type) \(row.application?.userID ?? "")")
            default: break
            }
        }
        #expect(
            rows == [
                "friend ann bob", "apply ann from zoe", "block ann eve", "friend bob ann",
                "apply zoe to ann",
            ])
    }

    @Test func `A value across lines is read, and one that is too long is a loss`() throws {
        let long = String(repeating: "n", count: Int(MigrationLimits.longTextBytes) + 1)
        let users =
            Self.head + "ann,ann,\"two\n\"\"lines\"\"\",\"{\"\"a\"\":1}\",\(Self.time)\n"
            + "bob,bob,\(long),{},\(Self.time)\n"
        let reader = try reader(users: users, edges: Self.edgeHead)
        let read = try reader.read(0..<2)
        let profiles = read.rows.compactMap { row -> Profile? in
            if case .profile(let row)? = row.row { row.profile } else { nil }
        }
        #expect(profiles.map(\.nick) == ["two\n\"lines\"", ""])
        #expect(profiles.first?.custom == [CustomValue("Meta", .text("{\"a\":1}"))])
        #expect(read.losses.map(\.field) == ["display_name"])
    }

    @Test func `An application of one row alone is a loss`() throws {
        let reader = try reader(
            users: users("ann", "bob"), edges: Self.edgeHead + "ann,bob,1,\(Self.time),{}\n")
        #expect(
            reader.losses == [
                MigrationLoss(
                    "ann", "application", "bob", because: "has a row of one of the two users alone")
            ])
    }

    @Test func `A table without a needed column is refused`() throws {
        #expect(throws: MigrationError.self) {
            try reader(users: "id,username\n", edges: Self.edgeHead)
        }
    }
}
