import Protobuf
import RelationAPI
import RelationCore
import StorageSuite
import Testing

@testable import RelationChanges

/// Tokens that are kept while their point moves on.
@Suite struct MovingTokenTests {
    private static let sign = TokenSign(app: 7, history: 11)
    private static let longSign = TokenSign(app: .max, history: .max)

    /// The token in the encoding of a response that has nothing else.
    private static func text(_ token: MovingToken) throws -> String {
        let response = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(WatchResponse.self).read(token.encoding, arena)
        }
        #expect(response.event == nil && response.userIDs.isEmpty)
        return response.resumeToken
    }

    /// A position of any length that positions have.
    private static func position(_ random: inout SeededNumbers) -> Int64 {
        let bits = Int.random(in: 0..<63, using: &random)
        return Int64.random(in: 0...(1 << Int64(bits)), using: &random)
    }

    @Test func itNamesThePointToWhichItHasMoved() throws {
        var random = SeededNumbers(seed: 19)
        var point = FeedPoint()
        let token = MovingToken(point, sign: Self.sign)
        let follower = MovingToken(point, sign: Self.sign)
        for round in 0..<2_000 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let lane = UInt8.random(in: 0..<Lane.count, using: &random)
                // Mostly a step, which leaves the length of the position as it is.
                let isStep = Int.random(in: 0..<8, using: &random) > 0 && point[lane] < .max
                point[lane] = isStep ? point[lane] + 1 : Self.position(&random)
                token.move(lane, to: point[lane])
            }
            #expect(token.point == point)
            #expect(
                try Self.text(token) == ResumeToken.text(of: point, sign: Self.sign), "\(round)")
            guard round % 5 == 0 else { continue }
            follower.move(to: token)
            #expect(
                try Self.text(follower) == ResumeToken.text(of: point, sign: Self.sign), "\(round)")
        }
    }

    @Test func theLongestTokenHasRoom() throws {
        var point = FeedPoint()
        for lane in 0..<Lane.count { point[lane] = .max }
        let token = MovingToken(FeedPoint(), sign: Self.longSign)
        token.move(to: point)
        #expect(try Self.text(token) == ResumeToken.text(of: point, sign: Self.longSign))
    }

    @Test func itNamesAnotherHistoryFromThenOn() throws {
        var point = FeedPoint()
        point[Lane.own] = 300
        let token = MovingToken(point, sign: Self.sign)
        _ = try Self.text(token)
        let other = TokenSign(app: 7, history: 12)
        token.sign(as: other)
        #expect(try Self.text(token) == ResumeToken.text(of: point, sign: other))
        token.move(Lane.own, to: 301)
        point[Lane.own] = 301
        #expect(try Self.text(token) == ResumeToken.text(of: point, sign: other))
    }
}
