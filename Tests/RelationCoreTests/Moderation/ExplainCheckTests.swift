import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The explanation of CheckFriends, with the rows behind each relation.
@Suite struct ExplainCheckTests {
    private func explained(
        _ user: String, of owner: UserID, _ type: CheckType = .bidirection, in world: World
    ) throws -> Explanation<FriendCheck.Finding?> {
        try world.read { (transaction) throws(StorageError) in
            try FriendCheck.explain(
                user, of: owner, type, at: world.now, app: world.app, in: transaction)
        }
    }

    private func kinds(_ explained: Explanation<FriendCheck.Finding?>) -> [RungKind] {
        #expect(explained.rungs.filter(\.decided).count == 1)
        #expect(explained.rungs.last?.decided == true)
        return explained.rungs.map(\.kind)
    }

    @Test func eachRelationIsReportedWithTheRowsOfBothLists() throws {
        let world = try World("A", "B", "C", "D")
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.add("C", to: "A", .single) == .success)
        #expect(try world.add("A", to: "D", .single) == .success)
        let cases: [(String, FriendCheck.Finding, [Bool])] = [
            ("B", .bothWay, [true, true]), ("C", .myUni, [true, false]),
            ("D", .otherUni, [false, true]), ("A", .none, [false, false]),
        ]
        for (user, finding, rows) in cases {
            let explained = try explained(user, of: "A", in: world)
            #expect(explained.answer == finding, "\(user)")
            #expect(kinds(explained) == [.ownAccount, .peerID, .peerAccount, .friendship])
            #expect(explained.rungs.last?.rows.map(\.isPresent) == rows, "\(user)")
        }
        let one = try explained("D", of: "A", .unidirection, in: world)
        #expect(one.answer == FriendCheck.Finding.none)
        #expect(one.rungs.last?.rows.map(\.isPresent) == [false])
    }

    @Test func theFirstRungThatRefusesEndsTheLadder() throws {
        let world = try World("A")
        let unknown = try explained("A", of: "ghost", in: world)
        #expect(unknown.answer == nil && kinds(unknown) == [.ownAccount])
        let malformed = try explained(" ", of: "A", in: world)
        #expect(malformed.answer == .malformed)
        #expect(kinds(malformed) == [.ownAccount, .peerID])
        let missing = try explained("ghost", of: "A", in: world)
        #expect(missing.answer == .noAccount)
        #expect(kinds(missing) == [.ownAccount, .peerID, .peerAccount])
    }
}
