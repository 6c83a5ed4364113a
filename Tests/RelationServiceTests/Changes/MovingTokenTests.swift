import Memory
import Protobuf
import RelationAPI
import RelationCore
import StorageSuite
import Testing

@testable import RelationChanges

/// Tokens that are kept while their position moves on.
@Suite struct MovingTokenTests {
    private static let sign = TokenSign(app: 7, history: 11)
    private static let longSign = TokenSign(app: .max, history: .max)

    /// The token in the encoding of a response that has nothing else.
    private static func text(_ token: MovingToken) throws -> String {
        let response = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(WatchResponse.self).read(token.token.encoding, arena)
        }
        #expect(response.event == nil && response.userIDs.isEmpty)
        return response.resumeToken
    }

    /// A position of any length that positions have.
    private static func position(_ random: inout SeededNumbers) -> Int64 {
        let bits = Int.random(in: 0..<63, using: &random)
        return Int64.random(in: 0...(1 << Int64(bits)), using: &random)
    }

    @Test func itNamesThePositionToWhichItHasMoved() throws {
        var random = SeededNumbers(seed: 19)
        var position: Int64 = 0
        let token = MovingToken(position, sign: Self.sign)
        for round in 0..<2_000 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                // Mostly a step, which leaves the length of the position as it is.
                let isStep = Int.random(in: 0..<8, using: &random) > 0 && position < .max
                position = isStep ? position + 1 : Self.position(&random)
                token.move(to: position)
            }
            #expect(token.position == position && token.token.position == position)
            #expect(
                try Self.text(token) == ResumeToken.text(of: position, sign: Self.sign), "\(round)")
        }
    }

    @Test func theLongestTokenHasRoom() throws {
        let token = MovingToken(0, sign: Self.longSign)
        token.move(to: .max)
        #expect(try Self.text(token) == ResumeToken.text(of: .max, sign: Self.longSign))
    }

    @Test func itNamesAnotherHistoryFromThenOn() throws {
        let token = MovingToken(300, sign: Self.sign)
        _ = try Self.text(token)
        let other = TokenSign(app: 7, history: 12)
        token.sign(as: other)
        #expect(try Self.text(token) == ResumeToken.text(of: 300, sign: other))
        token.move(to: 301)
        #expect(try Self.text(token) == ResumeToken.text(of: 301, sign: other))
    }
}
