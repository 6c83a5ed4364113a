import RelationCore
import RelationModel
import RelationService
import RelationSuite
import StorageSuite
import Testing

@testable import RelationCalls

@Suite struct PageTokenTests {
    static let positions: [TimedUser] = [
        TimedUser(timeMs: 0, user: "a"), TimedUser(timeMs: 1_709_287_200_000, user: "bob"),
        TimedUser(timeMs: -1, user: "a b"), TimedUser(timeMs: .max, user: "~"),
        TimedUser(timeMs: .min, user: UserID(stored: String(repeating: "x", count: 64).utf8)),
    ]

    @Test(arguments: positions)
    func aTokenComesBackAsItWent(_ position: TimedUser) {
        let text = PageToken(position).text(of: "ListFriends 1 A false false")
        #expect(PageToken(text, of: "ListFriends 1 A false false")?.position == position)
        #expect(text.utf8.count <= Limits.pageTokenBytes)
    }

    @Test(arguments: [
        "ListFriends 1 A false true", "ListFriends 1 A true false", "ListFriends 1 B false false",
        "ListFriends 2 A false false", "ListBlacklist 1 A", "", "ListFriends 1 A false false ",
    ])
    func aTokenOfAnotherQueryIsRefused(_ query: String) {
        let text = PageToken(Self.positions[1]).text(of: "ListFriends 1 A false false")
        #expect(PageToken(text, of: query) == nil)
    }

    @Test(arguments: positions)
    func everyTruncationIsRefused(_ position: TimedUser) {
        let text = PageToken(position).text(of: "query")
        for count in 0..<text.utf8.count {
            #expect(PageToken(String(text.prefix(count)), of: "query") == nil, "\(count) digits")
        }
        #expect(PageToken(text + "6", of: "query") == nil)
        #expect(PageToken(text + "61", of: "query") == nil)
    }

    @Test func everyChangedDigitIsRefused() {
        let text = PageToken(Self.positions[1]).text(of: "query")
        let digits = Array(text.utf8)
        for index in digits.indices {
            for digit in "0123456789abcdefgFz \u{0}".utf8 where digit != digits[index] {
                var changed = digits
                changed[index] = digit
                let token = String(decoding: changed, as: UTF8.self)
                #expect(PageToken(token, of: "query") == nil, "\(token)")
            }
        }
    }

    @Test func garbageIsRefused() {
        let seed = UInt64.random(in: 0..<1_000_000_000)
        var numbers = SeededNumbers(seed: seed)
        for text in ["", "0", "é", "01", String(repeating: "0", count: 600), "📄"] {
            #expect(PageToken(text, of: "query") == nil)
        }
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 1..<80, using: &numbers)).map { _ in
                UInt8.random(in: 0...255, using: &numbers)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let digits = bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
            #expect(PageToken(text, of: "query") == nil, "seed \(seed)")
            #expect(PageToken("01" + digits, of: "query") == nil, "seed \(seed)")
        }
    }
}
