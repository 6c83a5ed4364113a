import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct GroupTests {
    private let users: [UserID] = ["A", "B", "C"]

    @Test func groupsKeepTheOrderInWhichTheyWereMade() throws {
        let world = try World("A", "B", "C")
        #expect(try world.add("B", to: "A") { $0.group = "zebra" } == .success)
        #expect(try world.add("C", to: "A") { $0.group = "ant" } == .success)
        #expect(try world.update("B", of: "A") { $0.groups = ["mole", "ant", "bee"] } == .success)
        #expect(try world.groups(of: "A") == ["zebra", "ant", "mole", "bee"])
        #expect(try world.groups(of: "B") == [])
        #expect(
            try ["zebra", "ant", "mole", "bee"].map {
                try world.group($0, of: "A")?.memberCount
            } == [0, 2, 1, 1])
        #expect(try world.userRecord(of: "A")?.groupCount == 4)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func theOrderOfARowsGroupsIsTheCallers() throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A") == .success)
        for names in [["b", "a"], ["a", "b"], ["c", "b", "a"]] {
            #expect(try world.update("B", of: "A") { $0.groups = names } == .success)
            #expect(try world.friend("B", of: "A")?.groups == names)
        }
        #expect(try Audit(world, users).findings == [])
    }

    @Test func theLimitCountsGroupsAndNotMembers() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.groups = 2
        #expect(try world.add("B", to: "A") { $0.group = "one" } == .success)
        #expect(try world.update("B", of: "A") { $0.groups = ["one", "two"] } == .success)
        // A group without members still counts as a group.
        #expect(try world.update("B", of: "A") { $0.groups = [] } == .success)
        #expect(try world.update("B", of: "A") { $0.groups = ["three"] }.code == .groupLimit)
        #expect(try world.add("C", to: "A") { $0.group = "three" }.code == .groupLimit)
        #expect(try world.add("C", to: "A") { $0.group = "two" } == .success)
        #expect(try world.groups(of: "A") == ["one", "two"])
        #expect(try Audit(world, users).findings == [])
    }

    @Test func exactlyTheLimitFitsAtOnce() throws {
        let world = try World("A", "B")
        let names = (1...32).map { "group \($0)" }
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.update("B", of: "A") { $0.groups = names + ["33"] }.code == .groupLimit)
        #expect(try world.groups(of: "A") == [])
        #expect(try world.update("B", of: "A") { $0.groups = names } == .success)
        #expect(try world.groups(of: "A") == names)
        let event = try #require(
            try world.events(of: "A").first { $0.kind == .groupCreated })
        #expect(event.items.map(\.group?.name) == names)
        // The friend's row says that it is in the groups, and that is the latest change of the
        // groups.
        #expect(try world.userRecord(of: "A")?.groupsSequence == 3)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func aGroupThatFitsInAFullListNeedsNoRow() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.groups = 1
        #expect(try world.add("B", to: "A") { $0.group = "one" } == .success)
        // A row that exists takes no group, so the limit of groups does not matter.
        #expect(try world.delete("A", from: "B") == .success)
        #expect(try world.add("B", to: "A") { $0.group = "two" } == .success)
        #expect(try world.friend("B", of: "A")?.groups == ["one"])
        #expect(try Audit(world, users).findings == [])
    }

    @Test func onlyTheOwnerIsNotifiedOfItsGroups() throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A") { $0.group = "work" } == .success)
        #expect(try world.update("B", of: "A") { $0.groups = ["home"] } == .success)
        #expect(try world.events(of: "B").map(\.kind) == [.addFriend])
        #expect(
            try world.events(of: "A").map(\.kind)
                == [.groupCreated, .addFriend, .groupCreated, .friendChange])
    }

    // Two spellings of "café" that Unicode calls equal, and whose bytes differ.
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    @Test func namesThatLookAlikeAreDifferentGroups() throws {
        let world = try World("A", "B")
        #expect(Self.composed == Self.decomposed, "Swift compares by what is seen")
        #expect(try world.add("B", to: "A") { $0.group = Self.composed } == .success)
        #expect(try world.update("B", of: "A") { $0.groups = [Self.decomposed] } == .success)
        let groups = try #require(try world.friend("B", of: "A")?.groups)
        #expect(groups.map { Array($0.utf8) } == [Array(Self.decomposed.utf8)])
        #expect(try world.group(Self.composed, of: "A")?.memberCount == 0)
        #expect(try world.group(Self.decomposed, of: "A")?.memberCount == 1)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func textsThatLookAlikeAreDifferentTexts() throws {
        let world = try World("A", "B")
        func bytes(_ text: String?) -> [UInt8] { Array((text ?? "").utf8) }
        #expect(try world.add("B", to: "A") { $0.remark = Self.composed } == .success)
        #expect(try world.update("B", of: "A") { $0.remark = Self.decomposed } == .success)
        #expect(bytes(try world.friend("B", of: "A")?.remark) == bytes(Self.decomposed))
        let answer = try world.importFriend("B", of: "A") {
            $0.remark = Self.composed
            $0.wording = Self.composed
        }
        #expect(answer == .success)
        #expect(bytes(try world.friend("B", of: "A")?.remark) == bytes(Self.composed))
        let again = try world.importFriend("B", of: "A") {
            $0.remark = Self.decomposed
            $0.wording = Self.decomposed
            $0.groups = [Self.decomposed]
        }
        #expect(again == .success)
        #expect(bytes(try world.friend("B", of: "A")?.remark) == bytes(Self.decomposed))
        #expect(bytes(try world.friend("B", of: "A")?.wording) == bytes(Self.decomposed))
        for text in [Self.composed, Self.decomposed] {
            _ = try world.setProfile(of: "A", [.nick, .faceURL]) {
                $0.nick = text
                $0.faceURL = text
            }
            #expect(bytes(try world.profile(of: "A").nick) == bytes(text))
            #expect(bytes(try world.profile(of: "A").faceURL) == bytes(text))
        }
        #expect(try world.profile(of: "A").version == 2)
        #expect(try Audit(world, users).findings == [])
    }
}
