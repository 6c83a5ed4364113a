import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The users that are notified of a user's profile, found by its own rows and by asking each
/// watched user.
@Suite struct ProfileSubscribersTests {
    private static let star: UserID = "star"

    /// More users than the rule asks one by one.
    private static let crowd: [UserID] = (0..<CoreLimits.askedWatchers + 50).map {
        UserID(stored: "user\($0)".utf8)
    }

    /// A third of the crowd are mutual friends of the star, a third have it, and a third are had by
    /// it.
    private func world() throws -> World {
        let world = try World(Self.star)
        try world.create(Self.crowd)
        for (number, user) in Self.crowd.enumerated() {
            switch number % 4 {
            case 0: world.makeFriends(Self.star, user)
            case 1: #expect(try world.add(Self.star, to: user, .single) == .success)
            case 2: #expect(try world.add(user, to: Self.star, .single) == .success)
            default: break
            }
        }
        return world
    }

    private func profileSubscribers(_ world: World, among users: [UserID]) throws -> Set<UserID> {
        let known = Set(users)
        let watched = ProfileSubscribers.Watched(
            count: users.count, contains: known.contains, all: { users })
        let found = try world.read { (transaction) throws(StorageError) in
            try ProfileSubscribers.ofProfile(
                of: Self.star, among: watched, at: world.now, app: world.app, in: transaction)
        }
        #expect(Set(found).count == found.count, "no user is named twice")
        return Set(found)
    }

    private func friends(_ world: World, among users: [UserID]) throws -> Set<UserID> {
        Set(try users.filter { try world.friend(Self.star, of: $0) != nil })
    }

    private func check(_ world: World, _ comment: Comment) throws {
        let wanted = try friends(world, among: Self.crowd)
        #expect(!wanted.isEmpty && wanted.count < Self.crowd.count)
        #expect(try profileSubscribers(world, among: Self.crowd) == wanted, comment)
        let few = Array(Self.crowd.prefix(CoreLimits.askedWatchers))
        #expect(try profileSubscribers(world, among: few) == wanted.intersection(few), comment)
    }

    @Test func thoseWhoHaveTheUserAsAFriendAreNotified() throws {
        let world = try world()
        try check(world, "as they were made")
        for (number, user) in Self.crowd.enumerated() where number % 3 == 0 {
            _ = try world.delete(Self.star, from: user, .single)
        }
        try check(world, "after they left the user")
        for (number, user) in Self.crowd.enumerated() where number % 5 == 0 {
            _ = try world.delete(user, from: Self.star, .single)
        }
        try check(world, "after the user left them")
        for (number, user) in Self.crowd.enumerated() where number % 2 == 0 {
            _ = try world.add(Self.star, to: user, .single)
        }
        try check(world, "after they came back")
        #expect(try Audit(world, [Self.star] + Self.crowd).findings == [])
    }

    @Test func ofAUserWithTooManyFriendshipsOfOneSideEverybodyIsAsked() throws {
        // The rows are made wrong about users without any friendship, and about users with both
        // sides of one.
        for (list, remainder) in [(Mention.List.friends, 3), (.unreturned, 0)] {
            let world = try world()
            let partition = world.app.partition(of: Self.star)
            try world.write { (transaction) throws(StorageError) in
                for (number, user) in Self.crowd.enumerated() where number % 4 == remainder {
                    try Tables.mentions.set(
                        EmptyRecord(), at: partition, Mention(list, user), in: transaction)
                }
            }
            #expect(
                try profileSubscribers(world, among: Self.crowd)
                    != friends(world, among: Self.crowd),
                "the rows are read")
            try world.write { (transaction) throws(StorageError) in
                for number in 0..<CoreLimits.backReferenceRows {
                    let user = UserID(stored: "unrelated\(number)".utf8)
                    try Tables.mentions.set(
                        EmptyRecord(), at: partition, Mention(list, user), in: transaction)
                }
            }
            try check(world, "\(list)")
        }
    }
}
