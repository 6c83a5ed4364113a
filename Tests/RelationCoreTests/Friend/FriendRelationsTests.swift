import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// GetRelations: all relations between two users.
@Suite struct FriendRelationsTests {
    private func relations(
        of owner: UserID, to users: UserID..., in world: World
    ) throws -> [FriendRelations?] {
        try world.read { (transaction) throws(StorageError) in
            try FriendRelations.read(
                users, of: owner, at: world.now, app: world.app, in: transaction)
        }
    }

    @Test func aCardHoldsTheFriendshipBothWays() throws {
        let world = try World("A", "B", "C", "D", "E")
        #expect(try world.add("B", to: "A") { $0.remark = "x" } == .success)
        #expect(try world.add("C", to: "A", .single) { $0.group = "g" } == .success)
        #expect(try world.add("A", to: "D", .single) == .success)
        let cards = try relations(of: "A", to: "B", "C", "D", "E", "A", "ghost", "B", in: world)
        #expect(
            cards.map { $0?.relation }
                == [
                    .bothWay, .myUni, .otherUni, FriendRelation.none, FriendRelation.none, nil,
                    .bothWay,
                ])
        #expect(cards[0]?.row == (try world.friend("B", of: "A")))
        #expect(cards[0]?.row?.remark == "x" && cards[1]?.row?.groups == ["g"])
        #expect(cards[2]?.row == nil)
    }

    @Test func aCardHoldsTheBlacklistsBothWays() throws {
        let world = try World("A", "B", "C", "D")
        #expect(try world.block("B", by: "A") == .success)
        #expect(try world.block("A", by: "C") == .success)
        let cards = try relations(of: "A", to: "B", "C", "D", in: world)
        #expect(cards.map { $0?.isBlocked } == [true, false, false])
        #expect(cards.map { $0?.isBlocking } == [false, true, false])
    }

    @Test func aCardHoldsTheOwnRecordsOfApplicationsThatWait() throws {
        let world = try World("A", "B", "C")
        for user in ["A", "B"] as [UserID] { try world.allow(.needConfirm, for: user) }
        #expect(try world.add("B", to: "A") { $0.wording = "hi" }.code == .pending)
        #expect(try world.add("A", to: "C") { $0.wording = "ho" }.code == .pending)
        let cards = try relations(of: "A", to: "B", "C", in: world)
        #expect(cards.map { $0?.sent?.wording } == ["hi", nil])
        #expect(cards.map { $0?.received?.wording } == [nil, "ho"])
        #expect(try relations(of: "B", to: "A", in: world)[0]?.received?.wording == "hi")
    }

    @Test func anApplicationThatHasExpiredWaitsNoMore() throws {
        let world = try World("A", "B")
        world.settings.applicationLifetimeMs = 1_000
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A").code == .pending)
        world.advance(milliseconds: 999)
        #expect(try relations(of: "A", to: "B", in: world)[0]?.sent != nil)
        world.advance(milliseconds: 1)
        #expect(try relations(of: "A", to: "B", in: world)[0]?.sent == nil)
        #expect(try relations(of: "B", to: "A", in: world)[0]?.received == nil)
    }
}
