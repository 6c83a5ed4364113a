import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// ListPendencies: the version, the cursor, and the unread applications.
@Suite struct PendencyPagingTests {
    /// User "A" with `comeIn` applications to it and `sendOut` of its own, all made in one
    /// millisecond.
    private func world(comeIn: Int, sendOut: Int) throws -> World {
        let world = try World("A")
        try world.allow(.needConfirm, for: "A")
        for number in 0..<max(comeIn, sendOut) {
            let user = UserID(stored: "user\(number)".utf8)
            try world.create([user])
            try world.allow(.needConfirm, for: user)
            if number < comeIn { _ = try world.add("A", to: user, .single) }
            if number < sendOut { _ = try world.add(user, to: "A", .single) }
        }
        return world
    }

    /// Reads page by page as a client does, always with the first sequence.
    private func readAll(
        _ world: World, limit: Int, _ type: PendencyType,
        betweenPages change: (Int) throws -> Void = { _ in }
    ) throws -> [[ApplicationRules.Item]] {
        var pages: [[ApplicationRules.Item]] = []
        var cursor: Int64 = 0
        repeat {
            let page = try world.pendencies(
                of: "A", knowing: 0, from: cursor, limit: limit, type)
            pages.append(page.items)
            cursor = page.timestampMs
            try change(pages.count)
        } while cursor != 0 && pages.count < 1_000
        return pages
    }

    @Test(arguments: [1, 2, 3, 7, 8, 100], [PendencyType.comeIn, .sendOut, .both])
    func everyPageGoesOnWhereTheLastOneEnded(_ limit: Int, _ type: PendencyType) throws {
        let world = try world(comeIn: 7, sendOut: 5)
        let pages = try readAll(world, limit: limit, type)
        let wanted = type == .comeIn ? 7 : type == .sendOut ? 5 : 12
        #expect(pages.count == (wanted + limit - 1) / limit)
        #expect(pages.dropLast().allSatisfy { $0.count == limit })
        let items = pages.flatMap { $0 }
        #expect(items.count == wanted)
        #expect(Set(items.map { "\($0.type.rawValue) \($0.record.userID)" }).count == wanted)
        let times = items.map(\.record.timeMs)
        #expect(times == times.sorted(by: >), "newest first")
        #expect(Set(times).count == wanted, "a time is unique in its list")
        #expect(type == .both || items.allSatisfy { $0.type == type })
    }

    @Test func aPageThatHoldsTheLastItemSaysSo() throws {
        let world = try world(comeIn: 4, sendOut: 0)
        let first = try world.pendencies(of: "A", limit: 2)
        #expect(first.timestampMs == first.items.last?.record.timeMs)
        #expect(try world.pendencies(of: "A", from: first.timestampMs, limit: 2).timestampMs == 0)
        #expect(try world.pendencies(of: "A", limit: 4).timestampMs == 0)
        #expect(try world.pendencies(of: "A", limit: 3).timestampMs != 0)
    }

    @Test func thePresentSequenceAnswersNoItems() throws {
        let world = try world(comeIn: 2, sendOut: 0)
        let page = try world.pendencies(of: "A", knowing: 0)
        #expect(page.items.count == 2)
        let again = try world.pendencies(of: "A", knowing: page.sequence)
        #expect(again.items.isEmpty && again.timestampMs == 0)
        #expect(again.sequence == page.sequence && again.unread == 2)
        #expect(try world.respond(to: "user0", of: "A", .reject) == .success)
        let after = try world.pendencies(of: "A", knowing: page.sequence)
        #expect(after.items.map(\.record.userID) == ["user1"])
        #expect(after.sequence > page.sequence && after.unread == 1)
    }

    @Test func theSequenceIsThatOfTheLastChangeOfThisList() throws {
        let world = try world(comeIn: 1, sendOut: 0)
        let before = try world.pendencies(of: "A").sequence
        try world.create(["other"])
        #expect(try world.add("other", to: "A", .single) == .success)
        #expect(try world.block("other", by: "A") == .success)
        #expect(try world.pendencies(of: "A").sequence == before)
        #expect(try world.respond(to: "user0", of: "A", .reject) == .success)
        #expect(try world.pendencies(of: "A").sequence == world.userRecord(of: "A")?.sequence)
    }

    @Test func anEmptyListHasNoPagesAndNoSequence() throws {
        let world = try World("A")
        let page = try world.pendencies(of: "A", knowing: 0)
        #expect(page.items.isEmpty && page.timestampMs == 0 && page.sequence == 0)
    }

    @Test func anItemThatStaysAppearsOnceWhateverMovesBetweenPages() throws {
        let world = try world(comeIn: 9, sendOut: 0)
        let pages = try readAll(world, limit: 2, .both) { (number: Int) throws in
            if number == 1 {
                #expect(try world.respond(to: "user7", of: "A", .reject) == .success)
                world.advance(milliseconds: 1)
                // A renewed application moves to the front, where this reader has been.
                #expect(try world.add("A", to: "user0", .single).code == .pending)
            }
        }
        let seen = pages.flatMap { $0 }.map(\.record.userID)
        #expect(seen.sorted() == (1...8).map { "user\($0)" }.sorted())
    }

    @Test func timesStayUniqueAndRisingWhenTheClockDoesNot() throws {
        let world = try world(comeIn: 3, sendOut: 2)
        world.advance(milliseconds: -60_000)
        #expect(try world.add("A", to: "user0", .single).code == .pending)
        let times = try world.pendencies(of: "A").items.map(\.record.timeMs)
        #expect(times == (0..<5).map { World.start + 5 - Int64($0) })
    }

    @Test func onlyWhatCameInAndIsNewerThanTheMarkIsUnread() throws {
        let world = try world(comeIn: 3, sendOut: 2)
        #expect(try world.pendencies(of: "A").unread == 3)
        let times = try world.pendencies(of: "A", .comeIn).items.map(\.record.timeMs)
        try world.changeUserRecord(of: "A") {
            $0.readMarkMs = times[1]
            $0.unreadCount = 1
        }
        // To answer a read application leaves the count; to answer an unread one lowers it.
        #expect(try world.respond(to: "user0", of: "A", .reject) == .success)
        #expect(try world.pendencies(of: "A").unread == 1)
        #expect(try world.respond(to: "user2", of: "A", .agree) == .success)
        #expect(try world.pendencies(of: "A").unread == 0)
        world.advance(milliseconds: 1_000)
        #expect(try world.add("A", to: "user1", .single).code == .pending)
        #expect(try world.pendencies(of: "A").unread == 1)
        var users: [UserID] = ["A"]
        for number in 0..<3 { users.append(UserID(stored: "user\(number)".utf8)) }
        #expect(try Audit(world, users).findings == [])
    }

    @Test func aLoweredLimitHidesNothing() throws {
        let world = try world(comeIn: 6, sendOut: 6)
        world.settings.limits.pendencies = 2
        #expect(try readAll(world, limit: 5, .both).flatMap { $0 }.count == 12)
        #expect(try readAll(world, limit: 5, .comeIn).flatMap { $0 }.count == 6)
    }

    @Test func itemsCarryTheOthersProfile() throws {
        let world = try world(comeIn: 2, sendOut: 0)
        _ = try world.setProfile(of: "user1", [.nick, .faceURL]) {
            $0.nick = "One"
            $0.faceURL = "https://example.org/1"
        }
        let items = try world.pendencies(of: "A").items
        #expect(items.map(\.profile.nick) == ["One", nil])
        #expect(items.map(\.profile.faceURL) == ["https://example.org/1", nil])
    }
}
