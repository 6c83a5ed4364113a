import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// ListMutualFriends and SuggestFriends.
@Suite struct SharedFriendsTests {
    private func mutual(
        _ owner: UserID, _ other: UserID, isAdmin: Bool = false, after last: UserID? = nil,
        limit: Int = 200, in world: World
    ) throws -> SharedFriends.Mutual {
        try world.read { (transaction) throws(StorageError) in
            try SharedFriends.mutual(
                of: owner, with: other, isAdmin: isAdmin, after: last, limit: limit,
                app: world.app, in: transaction)
        }
    }

    private func suggested(
        _ owner: UserID, isAdmin: Bool = false, limit: Int = 200, in world: World
    ) throws -> FriendSuggestions {
        try world.read { (transaction) throws(StorageError) in
            try FriendSuggestions(
                to: owner, isAdmin: isAdmin, limit: limit, at: world.now, app: world.app,
                in: transaction)
        }
    }

    private func befriend(_ owner: UserID, _ users: UserID..., in world: World) throws {
        for user in users {
            #expect(try world.importFriend(user, of: owner, bothWays: true) == .success)
        }
    }

    // MARK: Mutual friends

    @Test func mutualFriendsAreThoseInBothListsByTheirIDs() throws {
        let world = try World("A", "B", "c", "d", "e", "f")
        try befriend("A", "e", "c", "d", in: world)
        try befriend("B", "f", "e", "c", in: world)
        let answer = try mutual("A", "B", in: world)
        #expect(answer.count == 2 && answer.named == ["c", "e"] && !answer.isBounded)
        #expect(try mutual("B", "A", in: world).named == ["c", "e"])
        #expect(try mutual("A", "B", limit: 1, in: world).named == ["c"])
        #expect(try mutual("A", "B", limit: 1, in: world).count == 2)
        #expect(try mutual("A", "f", in: world).count == 0)
    }

    private func counts(
        _ owner: UserID, _ others: [UserID], isAdmin: Bool = false,
        rows: Int = Limits.mutualCountRows, fromMemory: Bool = false, in world: World
    ) throws -> [SharedFriends.Count] {
        let asked =
            fromMemory ? CacheLookup(world.memory, loading: owner, and: others, world.app) : nil
        return try world.read { (transaction) throws(StorageError) in
            _ = try Accounts.record(of: owner, app: world.app, in: transaction)
            return try SharedFriends.counts(
                of: owner, with: others, isAdmin: isAdmin, rows: rows, app: world.app,
                asking: asked, in: transaction)
        }
    }

    @Test(arguments: [false, true])
    func mutualFriendsOfSeveralUsersAreCountedAsForEachOne(_ fromMemory: Bool) throws {
        let world = try World("A", "B", "C", "D", "c", "d", "e")
        try befriend("A", "c", "d", "e", in: world)
        try befriend("B", "c", "d", in: world)
        try befriend("C", "e", in: world)
        let others: [UserID] = ["D", "B", "C", "c", "B"]
        for _ in 0..<2 {
            let found = try counts("A", others, fromMemory: fromMemory, in: world)
            #expect(found.map(\.count) == [0, 2, 1, 0, 2])
            #expect(found.allSatisfy { !$0.isBounded })
            for (other, count) in zip(others, found) {
                #expect(try mutual("A", other, in: world).count == count.count)
            }
        }
        #expect(try counts("A", [], fromMemory: fromMemory, in: world) == [])
    }

    /// One shared friend would tell who is in a list that is hidden.
    @Test(arguments: [false, true])
    func aListThatIsHiddenCountsAsEmpty(_ fromMemory: Bool) throws {
        let world = try World("A", "B", "C", "D", "c")
        try befriend("A", "c", in: world)
        for other in ["B", "C", "D"] as [UserID] { try befriend(other, "c", in: world) }
        try world.show("B", to: .invisible)
        try world.show("C", to: .friends)
        #expect(try world.block("A", by: "D") == .success)
        let others: [UserID] = ["B", "C", "D"]
        for _ in 0..<2 {
            let found = try counts("A", others, fromMemory: fromMemory, in: world)
            #expect(found.map(\.count) == [0, 0, 0] && found.allSatisfy { !$0.isBounded })
            let all = try counts("A", others, isAdmin: true, fromMemory: fromMemory, in: world)
            #expect(all.map(\.count) == [1, 1, 1])
        }
        for other in others {
            #expect(try mutual("A", other, in: world) == SharedFriends.Mutual())
            #expect(try mutual("A", other, isAdmin: true, in: world).count == 1)
        }
        try world.show("B", to: .everyone)
        #expect(try world.importFriend("A", of: "C") == .success)
        let opened = try counts("A", others, fromMemory: fromMemory, in: world)
        #expect(opened.map(\.count) == [1, 1, 0])
    }

    /// How long a hidden list is stays hidden too, and it takes no share of the rows.
    @Test func aListThatIsHiddenIsNotRead() throws {
        let world = try World("A", "B", "C", "c", "d", "e", "f")
        try befriend("A", "c", "d", "e", "f", in: world)
        try befriend("B", "c", "d", "e", "f", in: world)
        try befriend("C", "c", "d", "e", "f", in: world)
        try world.show("B", to: .invisible)
        let found = try counts("A", ["B", "C"], rows: 4, in: world)
        #expect(found.map(\.count) == [0, 4] && found.allSatisfy { !$0.isBounded })
    }

    @Test func listsThatAreTooLongGetAnEvenShareOfTheRows() throws {
        let world = try World("A", "B", "C", "c", "d", "e", "f")
        try befriend("A", "c", "d", "e", "f", in: world)
        try befriend("B", "c", "d", "e", "f", in: world)
        try befriend("C", "f", in: world)
        let found = try counts("A", ["B", "C"], rows: 6, in: world)
        #expect(found.map(\.count) == [3, 1] && found.map(\.isBounded) == [true, false])
        let exact = try counts("A", ["B", "C"], rows: 8, in: world)
        #expect(exact.map(\.count) == [4, 1] && exact.map(\.isBounded) == [false, false])
        let alone = try counts("A", ["B"], rows: 4, in: world)
        #expect(alone == [SharedFriends.Count(count: 4, isBounded: false)])
    }

    /// The names that each visibility of a mutual friend, or of the other user, lets the caller
    /// see.
    @Test(arguments: [
        (Visibility.notSet, true), (.everyone, true), (.friends, true), (.invisible, false),
    ])
    func aFriendWhoseListIsNotSeenCountsAndHasNoName(
        _ visibility: Visibility, _ isNamed: Bool
    ) throws {
        let world = try World("A", "B", "c", "d")
        try befriend("A", "B", "c", "d", in: world)
        try befriend("B", "c", "d", in: world)
        try world.show("c", to: visibility)
        var answer = try mutual("A", "B", in: world)
        #expect(answer.count == 2 && answer.named == (isNamed ? ["c", "d"] : ["d"]))
        try world.show("c", to: .everyone)
        try world.show("B", to: visibility)
        answer = try mutual("A", "B", in: world)
        #expect(answer.count == (isNamed ? 2 : 0) && answer.named == (isNamed ? ["c", "d"] : []))
        #expect(try mutual("A", "B", isAdmin: true, in: world).named == ["c", "d"])
    }

    @Test func aListForFriendsIsSeenByThoseWhomItsOwnerHas() throws {
        let world = try World("A", "B", "c")
        try befriend("A", "c", in: world)
        try befriend("B", "c", in: world)
        try world.show("B", to: .friends)
        #expect(try world.importFriend("B", of: "A") == .success)
        #expect(try mutual("A", "B", in: world).named == [])
        #expect(try world.importFriend("A", of: "B") == .success)
        #expect(try mutual("A", "B", in: world).named == ["c"])
        #expect(try world.delete("A", from: "B") == .success)
        #expect(try mutual("A", "B", in: world).named == [])
    }

    /// Pages of every size name each friend once, and only the last one has none behind it.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7])
    func pagesOfMutualFriendsAreThePartsOfTheList(_ size: Int) throws {
        let world = try World("A", "B")
        let many = (10..<20).map { UserID(stored: "f\($0)".utf8) }
        try world.create(many)
        for user in many {
            try befriend("A", user, in: world)
            try befriend("B", user, in: world)
        }
        let hidden: Set<UserID> = ["f10", "f13", "f14", "f15", "f19"]
        for user in hidden { try world.show(user, to: .invisible) }
        let named = many.filter { !hidden.contains($0) }
        var pages: [[UserID]] = []
        var last: UserID?
        repeat {
            let page = try mutual("A", "B", after: last, limit: size, in: world)
            #expect(page.count == 10)
            #expect(page.named.count == size || !page.hasMore)
            pages.append(page.named)
            last = page.hasMore ? page.named.last : nil
        } while last != nil
        #expect(pages.flatMap(\.self) == named)
        #expect(pages.count == (named.count + size - 1) / size)
        // The friend that the last page ended with need not be one any more.
        #expect(try world.delete("f11", from: "A", .both) == .success)
        #expect(
            try mutual("A", "B", after: "f11", limit: 2, in: world).named == ["f12", "f16"])
        #expect(try mutual("A", "B", after: "f99", in: world).named == [])
    }

    @Test func whoIsOnABlacklistSeesNoNames() throws {
        let world = try World("A", "B", "c")
        try befriend("A", "c", in: world)
        try befriend("B", "c", in: world)
        #expect(try world.block("A", by: "B") == .success)
        let answer = try mutual("A", "B", in: world)
        #expect(answer.count == 0 && answer.named == [])
    }

    // MARK: Suggestions

    @Test func friendsOfFriendsComeByCommonCountAndThenByID() throws {
        let world = try World("A", "f1", "f2", "f3", "p", "q", "r", "s")
        try befriend("A", "f1", "f2", "f3", in: world)
        try befriend("f1", "r", "q", "p", in: world)
        try befriend("f2", "r", "q", in: world)
        try befriend("f3", "r", "s", "f1", in: world)
        let found = try suggested("A", in: world)
        #expect(found.suggestions.map(\.user) == ["r", "q", "p", "s"])
        #expect(found.suggestions.map(\.count) == [3, 2, 1, 1])
        #expect(
            found.suggestions.map(\.named) == [["f1", "f2", "f3"], ["f1", "f2"], ["f1"], ["f3"]])
        #expect(!found.isBounded)
        #expect(try suggested("A", limit: 2, in: world).suggestions.map(\.user) == ["r", "q"])
        #expect(try suggested("s", in: world).suggestions.map(\.user) == ["A", "f1", "r"])
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func pagesOfSuggestionsAreThePartsOfTheList(_ size: Int) throws {
        let world = try World("A", "f1", "f2", "f3", "p", "q", "r", "s")
        try befriend("A", "f1", "f2", "f3", in: world)
        try befriend("f1", "r", "q", "p", in: world)
        try befriend("f2", "r", "q", in: world)
        try befriend("f3", "r", "s", "f1", in: world)
        let all = try suggested("A", in: world).suggestions
        #expect(all.map(\.user) == ["r", "q", "p", "s"])
        var found: [FriendSuggestions.Suggestion] = []
        var position: FriendSuggestions.Position?
        repeat {
            // Each page is computed anew.
            let page = try suggested("A", in: world).page(after: position, limit: size)
            #expect(page.suggestions.count == size || !page.hasMore)
            found += page.suggestions
            position = page.hasMore ? page.suggestions.last?.position : nil
        } while position != nil
        #expect(found == all)
        // A page begins behind a place, also if no suggestion stands there any more.
        try befriend("A", "q", in: world)
        let rest = try suggested("A", in: world).page(
            after: FriendSuggestions.Position(count: 2, user: "q"), limit: 9)
        #expect(rest.suggestions.map(\.user) == ["p", "s"] && !rest.hasMore)
    }

    @Test func aFriendWhoseListIsNotSeenGivesNoSuggestion() throws {
        let world = try World("A", "f1", "f2", "p", "q")
        try befriend("A", "f1", "f2", in: world)
        try befriend("f1", "p", "q", "f2", in: world)
        try befriend("f2", "p", in: world)
        try world.show("f1", to: .invisible)
        let found = try suggested("A", in: world).suggestions
        #expect(found.map(\.user) == ["p"] && found.map(\.count) == [1])
        #expect(found.map(\.named) == [["f2"]])
        let all = try suggested("A", isAdmin: true, in: world).suggestions
        #expect(all.map(\.user) == ["p", "q"] && all.map(\.count) == [2, 1])
        #expect(all.map(\.named) == [["f1", "f2"], ["f1"]])
        // With one friend, a count would tell all.
        #expect(try world.delete("f2", from: "A").code == .success)
        #expect(try suggested("A", in: world).suggestions.isEmpty)
    }

    /// Users that are not suggested, by their own actions or those of others.
    @Test(arguments: ["block", "is blocked", "sent", "received", "sent and hidden", "friend"])
    func thoseWithWhomSomethingIsAmissAreLeftOut(_ what: String) throws {
        let world = try World("A", "f", "p", "q")
        try befriend("A", "f", in: world)
        try befriend("f", "p", "q", in: world)
        #expect(try suggested("A", in: world).suggestions.map(\.user) == ["p", "q"])
        for user in ["A", "p"] as [UserID] { try world.allow(.needConfirm, for: user) }
        switch what {
        case "block": #expect(try world.block("p", by: "A") == .success)
        case "is blocked": #expect(try world.block("A", by: "p") == .success)
        case "sent": #expect(try world.add("p", to: "A").code == .pending)
        case "received": #expect(try world.add("A", to: "p").code == .pending)
        case "sent and hidden":
            #expect(try world.add("p", to: "A").code == .pending)
            try world.set(Tables.pendencies, nil, of: "A", PendencyKey(.sendOut, "p"))
        default: #expect(try world.importFriend("p", of: "A") == .success)
        }
        #expect(try suggested("A", in: world).suggestions.map(\.user) == ["q"])
    }

    @Test func whoHasTheCallerWithoutBeingItsFriendMayBeSuggested() throws {
        let world = try World("A", "f", "p")
        try befriend("A", "f", in: world)
        try befriend("f", "p", in: world)
        #expect(try world.importFriend("A", of: "p") == .success)
        #expect(try suggested("A", in: world).suggestions.map(\.user) == ["p"])
    }

    @Test(arguments: [true, false])
    func whoWasRefusedIsLeftOutForThirtyDays(_ isMine: Bool) throws {
        let world = try World("A", "f", "p")
        try befriend("A", "f", in: world)
        try befriend("f", "p", in: world)
        let (applicant, asked): (UserID, UserID) = isMine ? ("A", "p") : ("p", "A")
        try world.allow(.needConfirm, for: asked)
        #expect(try world.add(asked, to: applicant).code == .pending)
        world.advance(milliseconds: 1_000)
        #expect(try world.respond(to: applicant, of: asked, .reject) == .success)
        #expect(try suggested("A", in: world).suggestions == [])
        world.advance(milliseconds: Limits.refusalMilliseconds - 1)
        #expect(try suggested("A", in: world).suggestions == [])
        world.advance(milliseconds: 1)
        #expect(try suggested("A", in: world).suggestions.map(\.user) == ["p"])
    }

    @Test func whatIsLeftOutMakesRoomForTheNext() throws {
        let world = try World("A", "f")
        try befriend("A", "f", in: world)
        let many = (10..<40).map { UserID(stored: "p\($0)".utf8) }
        try world.create(many)
        for user in many { try befriend("f", user, in: world) }
        for user in many.prefix(25) { #expect(try world.block(user, by: "A") == .success) }
        #expect(
            try suggested("A", limit: 3, in: world).suggestions.map(\.user) == [
                "p35", "p36", "p37",
            ])
    }

    /// Compares suggestions with their plain definition, over random graphs.
    @Test func suggestionsAreWhatTheirDefinitionSays() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var numbers = SeededNumbers(seed: seed)
        let users = (0..<24).map { UserID(stored: "u\($0)".utf8) }
        let world = try World()
        try world.create(users)
        var lists: [UserID: Set<UserID>] = [:]
        for _ in 0..<120 {
            let one = users[Int.random(in: users.indices, using: &numbers)]
            let other = users[Int.random(in: users.indices, using: &numbers)]
            guard one != other else { continue }
            #expect(try world.importFriend(other, of: one).code == .success)
            lists[one, default: []].insert(other)
        }
        for owner in users {
            let mine = lists[owner] ?? []
            var counts: [UserID: Int] = [:]
            for friend in mine {
                for user in lists[friend] ?? [] where user != owner && !mine.contains(user) {
                    counts[user, default: 0] += 1
                }
            }
            let wanted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            let found = try suggested(owner, in: world).suggestions
            #expect(found.map(\.user) == wanted.map(\.key), "seed \(seed)")
            #expect(found.map(\.count) == wanted.map(\.value), "seed \(seed)")
            for other in users where other != owner {
                let shared = mine.intersection(lists[other] ?? []).sorted()
                #expect(try mutual(owner, other, in: world).named == shared, "seed \(seed)")
            }
        }
    }

    @Test func aListThatIsTooLongIsLookedAtInPartAndTheAnswerSaysSo() throws {
        let world = try World("A", "f1", "f2")
        let many = (0..<Limits.mutualFriendRows).map { UserID(stored: "p\($0)".utf8) }
        world.settings.limits.friends = .max
        try world.create(many)
        try befriend("A", "f1", "f2", in: world)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for user in many.dropFirst() {
                _ = try FriendImport.write(
                    FriendImport.Row(owner: "f1", friend: user), notify: false, in: ledger)
            }
        }
        #expect(try mutual("A", "f1", in: world).isBounded == false)
        #expect(try world.importFriend(many[0], of: "f1") == .success)
        #expect(try mutual("A", "f1", in: world).isBounded)
        #expect(try mutual("A", "f2", in: world).isBounded == false)
        #expect(try suggested("A", in: world).suggestions.count == Limits.suggestions)
    }

    @Test func everyFriendsListHasItsShareOfTheRowsThatAreLookedAt() throws {
        let world = try World("A", "f1", "f2", "f3", "p", "q", "r", "s", "t")
        try befriend("A", "f1", "f2", "f3", in: world)
        for user in ["p", "q", "r", "s"] as [UserID] {
            #expect(try world.importFriend(user, of: "f1") == .success)
            #expect(try world.importFriend(user, of: "f3") == .success)
        }
        #expect(try world.importFriend("t", of: "f2") == .success)
        func bounds(friends: Int = 3, rows: Int) throws -> (FriendSuggestions, [Int]) {
            let found = try world.read { (transaction) throws(StorageError) in
                try FriendSuggestions(
                    to: "A", isAdmin: false, limit: 200, at: world.now, app: world.app,
                    in: transaction, friends: friends, rows: rows)
            }
            return (found, found.suggestions.map(\.count))
        }
        // Each friend's row for A is one of the rows that count.
        #expect(try bounds(rows: 15).0.isBounded == false)
        #expect(try bounds(rows: 15).1 == [2, 2, 2, 2, 1])
        // It reads both rows of f2, and three of five rows of f1 and of f3.
        #expect(try bounds(rows: 9).0.isBounded)
        #expect(try bounds(rows: 9).1 == [2, 2, 1])
        #expect(try bounds(friends: 2, rows: 100).0.isBounded)
        #expect(try bounds(friends: 2, rows: 100).1 == [1, 1, 1, 1, 1])
    }

    @Test func aLongListIsReadToItsEndIfTheShortOnesLeaveEnough() throws {
        let world = try World("A", "long", "short")
        world.makeFriends("A", "long")
        world.makeFriends("A", "short")
        for number in 0..<8 {
            let user = UserID(stored: "u\(number)".utf8)
            try world.create([user])
            world.makeFriends("long", user)
        }
        // The lists have nine rows and one; half of twelve rows is six.
        func suggestions(rows: Int) throws -> (count: Int, isBounded: Bool) {
            let found = try world.read { (transaction) throws(StorageError) in
                try FriendSuggestions(
                    to: "A", isAdmin: true, limit: 200, at: world.now, app: world.app,
                    in: transaction, rows: rows)
            }
            return (found.suggestions.count, found.isBounded)
        }
        #expect(try suggestions(rows: 10) == (8, false))
        #expect(try suggestions(rows: 9).isBounded)
    }
}
