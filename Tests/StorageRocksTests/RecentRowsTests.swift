import Storage
import StorageSuite
import Testing

@testable import StorageRocks

@Suite("The rows that the writer read lately")
struct RecentRowsTests {
    private static func with<Result>(
        _ text: String, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        Array(text.utf8).withUnsafeBytes(body)
    }

    private static func value(
        of key: String, _ hash: Int, _ rows: borrowing RecentRows
    ) -> String? {
        Array(key.utf8).withUnsafeBytes { key in
            rows.value(of: key, hash).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private static func insert(
        _ key: String, _ hash: Int, _ value: String, _ rows: inout RecentRows
    ) {
        Array(key.utf8).withUnsafeBytes { key in
            Array(value.utf8).withUnsafeBytes { rows.insert(key, hash, $0) }
        }
    }

    @Test("are those that were kept, with their newest values of any length")
    func rowsAreKept() {
        var rows = RecentRows()
        Self.insert("one", 1, "a", &rows)
        Self.insert("two", 2, "", &rows)
        Self.insert("one", 1, String(repeating: "b", count: 300), &rows)
        Self.insert("one", 1, "short", &rows)
        #expect(Self.value(of: "one", 1, rows) == "short")
        #expect(Self.value(of: "two", 2, rows) == "")
        #expect(Self.value(of: "three", 3, rows) == nil)
    }

    @Test("make place for others, and are never taken for others of the same place or hash")
    func slotsAreShared() {
        var rows = RecentRows()
        Self.insert("one", 1, "a", &rows)
        #expect(Self.value(of: "other", 1, rows) == nil)
        #expect(Self.value(of: "one", 1 + Limits.recentRows, rows) == nil)
        Self.insert("other", 1 + Limits.recentRows, "b", &rows)
        #expect(Self.value(of: "one", 1, rows) == nil)
        #expect(Self.value(of: "other", 1 + Limits.recentRows, rows) == "b")
        Self.with("one") { rows.forget($0, 1) }
        #expect(Self.value(of: "other", 1 + Limits.recentRows, rows) == "b")
        Self.with("other") { rows.forget($0, 1 + Limits.recentRows) }
        #expect(Self.value(of: "other", 1 + Limits.recentRows, rows) == nil)
    }

    @Test("are not longer than the limit, and a row that grew beyond it is forgotten")
    func longRowsAreNotKept() {
        var rows = RecentRows()
        let longest = String(repeating: "v", count: Limits.recentRowBytes - 3)
        Self.insert("one", 1, longest, &rows)
        #expect(Self.value(of: "one", 1, rows) == longest)
        Self.insert("one", 1, longest + "v", &rows)
        #expect(Self.value(of: "one", 1, rows) == nil)
        Self.insert("one", 1, "a", &rows)
        rows.removeAll()
        #expect(Self.value(of: "one", 1, rows) == nil)
    }
}
