import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// FindUsers: who is found, in which order, and by which pages.
@Suite struct UserSearchTests {
    /// A looks for the others, who have these nicks.
    private func world(_ nicks: [(user: UserID, nick: String)]) throws -> World {
        var settings = AppSettings.tim
        settings.findsUsers = true
        let world = try World("A", settings: settings)
        while try world.maintenance() {}
        for (user, nick) in nicks {
            try world.create([user])
            _ = try world.setProfile(of: user, [.nick]) { $0.nick = nick }
        }
        return world
    }

    private func page(
        _ keyword: String, for viewer: UserID = "A", isAdmin: Bool = false,
        after position: UserSearch.Position? = nil, limit: Int = 100, in world: World
    ) throws -> UserSearch.Page {
        let search = try #require(UserSearch(keyword))
        return try world.read { (transaction) throws(StorageError) in
            try search.page(
                for: UserSearch.Viewer(viewer, isAdmin: isAdmin, at: world.now), app: world.app,
                after: position, limit: limit, in: transaction)
        }
    }

    private func found(
        _ keyword: String, for viewer: UserID = "A", isAdmin: Bool = false, in world: World
    ) throws -> [UserID] {
        try page(keyword, for: viewer, isAdmin: isAdmin, in: world).hits.map(\.user)
    }

    @Test func usersStandInTheOrderOfTheContract() throws {
        let world = try world([
            ("li", "no user"), ("u1", "x"), ("c", "Lily"), ("b", "Li"), ("a", "Lí"), ("d", "李四"),
            ("e", "力宏"), ("f", "Ali"), ("g", "林一"),
        ])
        _ = try world.setProfile(of: "u1", [.uniqueID]) { $0.uniqueID = "li" }
        let page = try page("li", in: world)
        #expect(page.hits.map(\.user) == ["li", "u1", "a", "b", "c", "e", "g", "d"])
        #expect(
            page.hits.map(\.by)
                == [.id, .uniqueID, .name, .name, .name, .pinyin, .pinyin, .pinyin])
        #expect(page.next == nil && page.isComplete)
    }

    @Test(arguments: [
        ("张", ["z"]), ("zhang", ["z"]), ("zhangsan", ["z"]), ("Zhang San", ["z"]), ("zs", ["z"]),
        ("ZHANGS", ["z"]), ("san", []), ("muller", ["m"]), ("MÜLLER", ["m"]), ("ｍｕ", ["m"]),
        ("zeng", ["y"]), ("ceng", ["y"]), ("zx", ["y"]), ("lv", ["l"]), ("lu", ["l"]),
        ("ann s", ["s"]), ("smith", []), ("  ann", ["s"]), ("fi", ["f"]),
    ])
    func aNickIsFoundByItsBeginningOrItsPinyin(_ keyword: String, _ users: [String]) throws {
        let world = try world([
            ("z", "张三"), ("m", "Müller"), ("y", "曾小"), ("l", "吕布"), ("s", " Ann Smith"),
            ("f", "ﬁsh"),
        ])
        #expect(try found(keyword, in: world).map(\.text) == users)
    }

    @Test func beginningsOfIDsFindUsersIfTheAppWantsIt() throws {
        let world = try world([("ann", "x"), ("ann2", "Bea"), ("ANN3", "Annie"), ("b", "Cleo")])
        _ = try world.setProfile(of: "b", [.uniqueID]) { $0.uniqueID = "ann9" }
        #expect(try found("ann", in: world) == ["ann", "ANN3"], "by the whole id, and by the nick")
        world.settings.findsIDBeginnings = true
        world.settings.findEpoch += 1
        while try world.maintenance() {}
        let page = try page("ann", in: world)
        #expect(page.hits.map(\.user) == ["ann", "ANN3", "ann2", "b"])
        #expect(page.hits.map(\.by) == [.id, .name, .idBeginning, .uniqueIDBeginning])
        #expect(try found("an", in: world) == ["ANN3"], "the keyword is too short for ids")
        #expect(try found("ANN", in: world) == ["ANN3"], "ids are compared byte by byte")
        // If only administrators find a user by its whole id, only they do by its beginning.
        try world.letFind("ann2", by: .id, .noUser)
        try world.letFind("b", by: .uniqueID, .noUser)
        _ = try world.block("A", by: "ANN3")
        #expect(try found("ann", in: world) == ["ann"])
        #expect(try found("ann", isAdmin: true, in: world) == ["ann", "ANN3", "ann2", "b"])
        // Its name still finds who hides its ids.
        try world.letFind("ANN3", by: .id, .noUser)
        #expect(try found("anni", for: "b", in: world) == ["ANN3"])
        #expect(try Audit(world, ["A", "ann", "ann2", "ANN3", "b"]).findings == [])
    }

    /// Otherwise a caller that asks for one letter after another would learn it.
    @Test func aHiddenUniqueIDIsFoundWholeAndNotByItsBeginning() throws {
        let world = try world([("b", "Bea"), ("c", "Cleo"), ("d", "xyzzy")])
        world.settings.findsIDBeginnings = true
        world.settings.findEpoch += 1
        while try world.maintenance() {}
        for user in ["b", "c", "d"] as [UserID] {
            _ = try world.setProfile(of: user, [.uniqueID]) { $0.uniqueID = "xyz\(user)" }
        }
        func finds(for viewer: UserID = "A", isAdmin: Bool = false) throws -> [UserID] {
            try found("xyz", for: viewer, isAdmin: isAdmin, in: world)
        }
        #expect(try finds() == ["d", "b", "c"], "one is found by its nick")
        func choose(_ visibility: Visibility) throws {
            try world.call(by: "b") { (ledger) throws(StorageError) in
                _ = try Profiles.choose(
                    nil, [Profiles.FieldChoice("unique_id", visibility)], of: "b", in: ledger)
            }
        }
        try choose(.friends)
        #expect(try finds() == ["d", "c"] && finds(isAdmin: true) == ["d", "b", "c"])
        #expect(try found("xyzb", in: world) == ["b"], "who knows the whole of it finds the user")
        world.makeFriends("A", "b")
        #expect(try finds() == ["d", "b", "c"])
        try choose(.invisible)
        #expect(try finds() == ["d", "c"])
        try choose(.notSet)
        #expect(try finds() == ["d", "b", "c"])
        // A default of the app hides it likewise, and so does a profile that is closed as a whole.
        _ = try world.show("c", to: .invisible)
        #expect(try finds() == ["d", "b"])
        world.settings.fieldDefaults.oneself = ["unique_id"]
        #expect(try finds() == ["d"])
        // A page that has room goes on behind a row that is hidden, and no token names one.
        let first = try page("xyz", limit: 1, in: world)
        #expect(first.hits.map(\.user) == ["d"] && first.next == nil)
    }

    @Test func aUserComesOnceAtItsFirstPosition() throws {
        let world = try world([("a", "an安娜"), ("b", "安娜"), ("an", "an an")])
        // The nick of a begins so, and its pinyin does; the id of another is the keyword.
        #expect(try found("an", in: world) == ["an", "a", "b"])
        let hits = try page("an", in: world).hits
        #expect(hits.map(\.by) == [.id, .name, .pinyin])
    }

    @Test func whoeverIsNotToBeFoundIsAbsent() throws {
        let world = try world([("b", "Bea"), ("c", "Bea"), ("d", "Bea"), ("A2", "x")])
        _ = try world.setProfile(of: "d", [.uniqueID]) { $0.uniqueID = "dee" }
        #expect(try found("bea", in: world) == ["b", "c", "d"])
        try world.letFind("c", by: .name, .noUser)
        _ = try world.block("A", by: "b")
        #expect(try found("bea", in: world) == ["d"])
        #expect(try found("bea", for: "A2", in: world) == ["b", "d"])
        // The other ways are open still, but not to a user that is shut out.
        #expect(try found("c", in: world) == ["c"])
        #expect(try found("b", in: world) == ["d"])
        try world.letFind("c", by: .id, .noUser)
        #expect(try found("c", in: world) == [])
        #expect(try found("dee", in: world) == ["d"])
        try world.letFind("d", by: .uniqueID, .noUser)
        #expect(try found("dee", in: world) == [])
        // No user finds itself, and administrators find everyone, the hidden ones last.
        #expect(try found("bea", for: "d", in: world) == ["b"])
        #expect(try found("bea", isAdmin: true, in: world) == ["b", "d", "c"])
        #expect(try found("dee", isAdmin: true, in: world) == ["d"])
        #expect(try found("zoe", in: world) == [])
        #expect(try Audit(world, ["A", "A2", "b", "c", "d"]).findings == [])
    }

    @Test func pagesOfAnySizeMakeTheWholeList() throws {
        var nicks: [(UserID, String)] = [("na", "Zoe")]
        for number in 0..<30 {
            nicks.append((UserID(stored: "u\(number)".utf8), ["Nadine", "娜", "你啊"][number % 3]))
        }
        let world = try world(nicks)
        try world.letFind("u3", by: .name, .noUser)
        _ = try world.block("A", by: "u6")
        let whole = try found("na", in: world)
        #expect(whole.count == 29 && whole.first == "na")
        for limit in [1, 2, 7, 28, 29] {
            var users: [UserID] = []
            var position: UserSearch.Position?
            repeat {
                let page = try page("na", after: position, limit: limit, in: world)
                #expect(page.hits.count == limit || page.next == nil)
                users += page.hits.map(\.user)
                position = page.next
            } while position != nil
            #expect(users == whole, "pages of \(limit)")
        }
    }

    @Test func aPageEndsAtItsBoundIfUsersInARowShutTheCallerOut() throws {
        let most = Limits.foundNamesPerPage
        var nicks: [(UserID, String)] = [("first", "Bo")]
        nicks += (0..<most + 300).map { (UserID(stored: "u\(10_000 + $0)".utf8), "Bob") }
        nicks.append(("last", "Boz"))
        let world = try world(nicks)
        for (user, _) in nicks.dropFirst().dropLast() { _ = try world.block("A", by: user) }
        let page = try page("bo", in: world)
        #expect(page.hits.map(\.user) == ["first"])
        // The token is the place of a user that the caller may find.
        #expect(page.next == page.hits.first?.position)
        let next = try self.page("bo", after: page.next, in: world)
        #expect(next.hits.isEmpty && next.next == nil)
        #expect(try found("boz", in: world) == ["last"])
    }

    @Test func tenThousandUsersOfOneNameAreReadByPages() throws {
        let count = 10_000
        let world = try world([])
        for start in stride(from: 0, to: count, by: 1_000) {
            try world.call(by: nil) { (ledger) throws(StorageError) in
                for number in start..<start + 1_000 {
                    let user = UserID(stored: "u\(100_000 + number)".utf8)
                    _ = try Accounts.create(user, nick: "王伟", faceURL: "", in: ledger)
                }
            }
        }
        for keyword in ["王", "wang", "ww"] {
            var users: [UserID] = []
            var position: UserSearch.Position?
            repeat {
                let page = try page(keyword, after: position, in: world)
                users += page.hits.map(\.user)
                position = page.next
            } while position != nil
            #expect(users.count == count && users == users.sorted(), "\(keyword)")
        }
    }

    @Test func aKeywordNeedsALetterThatCanBeSeen() {
        for keyword in ["", " ", "\u{200B}", "\u{7}\t"] { #expect(UserSearch(keyword) == nil) }
        #expect(UserSearch("a") != nil && UserSearch("。") != nil)
    }

    @Test func longNicksAreComparedAsAWhole() throws {
        let long = String(repeating: "x", count: Limits.foundNameBytes)
        let world = try world([("b", long + "b"), ("c", long + "a"), ("d", long)])
        #expect(try found(long, in: world) == ["b", "c", "d"])
        #expect(try found(String(long.dropLast()), in: world) == ["b", "c", "d"])
        #expect(try found(long + "a", in: world) == ["c"])
    }
}
