import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// The users that have a user as a friend, and that it does not have.
@Suite struct ReverseFriendsTests {
    private func page(
        of user: UserID, after last: UserID? = nil, limit: Int = 10, in world: World
    ) throws -> ReverseFriends.Page {
        try world.read { (transaction) throws(StorageError) in
            try ReverseFriends.page(
                of: user, after: last, limit: limit, app: world.app, in: transaction)
        }
    }

    private func count(of user: UserID, in world: World) throws -> Int {
        try world.read { (transaction) throws(StorageError) in
            try ReverseFriends.count(of: user, app: world.app, in: transaction)
        }
    }

    @Test func theyAreThoseOfTheRelationOtherUni() throws {
        let world = try World("A", "B", "C", "D")
        #expect(try page(of: "A", in: world) == ReverseFriends.Page())
        #expect(try world.add("A", to: "B", .single) == .success)
        #expect(try world.add("A", to: "C", .single) == .success)
        #expect(try world.add("D", to: "A", .single) == .success)
        #expect(try page(of: "A", in: world).users == ["B", "C"])
        #expect(try page(of: "D", in: world).users == ["A"])
        #expect(try world.add("B", to: "A", .single) == .success)
        #expect(try page(of: "A", in: world).users == ["C"], "B is a mutual friend now")
        #expect(try page(of: "B", in: world).users == [])
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try page(of: "A", in: world).users == ["B", "C"])
        #expect(try world.block("C", by: "A") == .success)
        #expect(try page(of: "A", in: world).users == ["B"], "a block ends the friendship")
        #expect(try count(of: "A", in: world) == 1)
    }

    @Test func aBlacklistThatKeepsFriendshipsHidesNobody() throws {
        let world = try World("A", "B")
        world.settings.keepsFriendshipOnBlacklist = true
        #expect(try world.add("A", to: "B", .single) == .success)
        #expect(try world.block("B", by: "A") == .success)
        #expect(try world.block("A", by: "B") == .success)
        #expect(try page(of: "A", in: world).users == ["B"], "as in CheckFriends")
    }

    @Test func aPageGoesOnAfterAnyUser() throws {
        let world = try World("A", "~", "a", "a b", "ab", "b")
        let users: [UserID] = ["a", "a b", "ab", "b", "~"]
        for user in users { #expect(try world.add("A", to: user, .single) == .success) }
        for limit in 1...6 {
            var found: [UserID] = []
            var last: UserID?
            repeat {
                let page = try page(of: "A", after: last, limit: limit, in: world)
                found += page.users
                last = page.last
            } while last != nil
            #expect(found == users)
        }
        // The user of the token may have left the list.
        #expect(try world.delete("A", from: "ab") == .success)
        #expect(try page(of: "A", after: "ab", in: world).users == ["b", "~"])
    }

    @Test func anAccountThatIsBeingDeletedIsLeftOut() throws {
        let world = try World("A", "B", "C", "D")
        for user in ["B", "C", "D"] as [UserID] {
            #expect(try world.add("A", to: user, .single) == .success)
        }
        try world.deleteAccount("C")
        var found = try page(of: "A", limit: 2, in: world)
        #expect(found == ReverseFriends.Page(users: ["B"], last: "C"))
        found = try page(of: "A", after: found.last, limit: 2, in: world)
        #expect(found == ReverseFriends.Page(users: ["D"], last: nil))
    }

    @Test func manyAreCountedUpToABound() throws {
        let world = try World("A")
        let most = Limits.reverseFriendsCounted
        for (number, wanted) in [(most, most), (most + 2, most + 1)] {
            try world.write { (transaction) throws(StorageError) in
                for index in 0..<number {
                    try Tables.mentions.set(
                        EmptyRecord(), at: world.app.partition(of: "A"),
                        Mention(.friends, UserID(stored: "u\(index)".utf8)), in: transaction)
                }
            }
            #expect(try count(of: "A", in: world) == wanted)
        }
    }
}
