import Testing

@testable import RelationService

/// The lines of a fixture, for errors that name a place of it.
struct FixtureLinesTests {
    private let lines = FixtureLines(
        """
        {"apps": [{"name": "a, ]\\" [", "settings": {"x": [1, {"y": 2}]}},
          {
            "users": [
              {"userId": "ann"},
              {"user_id": "bob", "friends": [
                {"user_id": "carl"},
                {"user_id":
                  7}]}
            ]}],
         "users": []}
        """)

    @Test(arguments: [
        ("apps[1].users[0].user_id: another user has it", 4),
        ("apps[1].users[1].friends[1].user_id: a value of type string was expected", 7),
        ("apps[1].users[1].friends[0]: FRIEND_STATUS_PARAM_INVALID", 6),
        ("apps[1].users[1].blacklist eve: FRIEND_STATUS_ACCOUNT_NOT_EXIST", 5),
        ("users: has 10001, and at most 10000 are taken", 10),
        ("users[3].user_id: is missing", 10),
        ("apps[1].name: is missing", 2),
        ("apps[0].settings.x[1].y: is no text", 1),
        ("JSON, byte 0: no value begins like this", 1),
        ("JSON, byte 66: no value begins like this", 2),
        ("JSON, byte 9000: the text ends here", 10),
    ])
    func aPathHasItsLine(_ words: String, _ line: Int) {
        #expect(lines.line(of: words) == line)
    }

    @Test(arguments: [
        "--app x: FAILED_PRECONDITION", "the demo cannot be filled", "", "JSON, byte x: no",
    ])
    func anErrorWithoutAPathHasNone(_ words: String) {
        #expect(lines.line(of: words) == nil)
    }

    /// A text that is cut anywhere is no JSON, and the way to a place then ends early.
    @Test func noTextLeadsTheWayAstray() {
        let whole = #"{"users": [{"user_id": "a\"b", "friends": [{"user_id": "\\"}]}]}"#
        for count in 0...whole.utf8.count {
            let lines = FixtureLines(String(decoding: whole.utf8.prefix(count), as: UTF8.self))
            #expect(lines.line(of: "users[0].friends[0].user_id: is missing") == 1)
        }
    }
}
