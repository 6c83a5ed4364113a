import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct FriendReviewTests {
    private static let users: [UserID] = ["A", "B", "C"]

    /// A world in which A has B and C as friends.
    private func world(
        friends: [UserID] = ["B", "C"], _ edit: (inout AppSettings) -> Void = { _ in }
    ) throws -> World {
        var settings = AppSettings.tim
        settings.customFields = [
            CustomField(.friend, "Met", .string), CustomField(.friend, "Size", .uint64),
        ]
        settings.reviewedFields.friends = ["remark", "custom.Met", "custom.Size"]
        edit(&settings)
        let world = try World(settings: settings)
        try world.create(Self.users)
        for friend in friends { _ = try world.add(friend, to: "A") }
        return world
    }

    private func expectWhole(_ world: World) throws {
        #expect(try Audit(world, Self.users).findings == [])
        #expect(try world.integrity() == [])
    }

    private func remark(
        _ world: World, _ remark: String, of friend: UserID = "B"
    ) throws -> FriendOutcome {
        try world.update(friend, of: "A") { $0.remark = remark }
    }

    /// The decisions that A's log tells.
    private func decisions(_ world: World) throws -> [ReviewDecision] {
        try world.events(of: "A").flatMap(\.items).compactMap { item in
            item.review.flatMap { $0.decision == .unspecified ? nil : $0.decision }
        }
    }

    private let none = FriendOutcome(.invalidParameter, Reason.ReviewDecide.notExist)
    private let full = FriendOutcome(.invalidParameter, Reason.ReviewDecide.friendsFull)

    @Test func aNewRemarkIsThereAndUnderReview() throws {
        let world = try world()
        #expect(try remark(world, "pal") == .success)
        #expect(try world.friend("B", of: "A")?.remark == "pal")
        let review = try #require(try world.reviews().rows.first)
        #expect((review.userID, review.friendUserID, review.field) == ("A", "B", "remark"))
        #expect((review.state, review.text, review.formerText) == (.shown, "pal", ""))
        let kinds = try world.events(of: "A").suffix(2).map(\.kind)
        #expect(kinds == [.friendChange, .reviewAsked])
        #expect(try world.events(of: "A").last?.items.map(\.review) == [review])
        // The other user learns nothing.
        #expect(try world.events(of: "B").allSatisfy { $0.items.allSatisfy { $0.review == nil } })
        // The same remark once more changes nothing.
        #expect(try !remark(world, "pal").changed)
        #expect(try world.reviews(of: "A").rows == [review])
        #expect(try world.reviews(of: "B").rows.isEmpty)
        try expectWhole(world)
    }

    @Test func aRejectedRemarkGoesBackToTheApprovedOne() throws {
        let world = try world()
        _ = try remark(world, "pal")
        #expect(try world.decide(1, approve: true) == .success)
        #expect(try world.friend("B", of: "A")?.remark == "pal")
        _ = try remark(world, "rude")
        _ = try remark(world, "worse")
        #expect(try world.decide(2, approve: false) == none)
        #expect(try world.decide(3, approve: false, reason: "be kind") == .success)
        let row = try #require(try world.friend("B", of: "A"))
        #expect(row.remark == "pal")
        let events = try world.events(of: "A").suffix(2)
        #expect(events.map(\.kind) == [.friendChange, .reviewDecided])
        #expect(events.first?.items.first?.friendEntry == row)
        let notified = try #require(events.last?.items.first?.review)
        #expect(
            (notified.decision, notified.reasonText, notified.text) == (
                .rejected, "be kind", "worse"
            ))
        #expect(notified.friendUserID == "B")
        try expectWhole(world)
    }

    @Test func aCustomTextIsReviewedAndANumberIsNot() throws {
        let world = try world()
        let met = CustomValue("Met", .data(Array("here".utf8)))
        _ = try world.update("B", of: "A") {
            $0.custom = [met, CustomValue("Size", .number(3))]
            $0.remark = "pal"
        }
        let reviews = try world.reviews().rows
        #expect(reviews.map(\.field) == ["remark", "custom.Met"])
        #expect(try world.decide(2, approve: false) == .success)
        #expect(try world.friend("B", of: "A")?.custom == [CustomValue("Size", .number(3))])
        #expect(try world.userRecord(of: "A")?.friendReviewCount == 1)
        try expectWhole(world)
    }

    @Test func aReviewEndsWhenNothingIsLeftToDecide() throws {
        let world = try world()
        _ = try remark(world, "pal")
        _ = try world.decide(1, approve: true)
        _ = try remark(world, "rude")
        _ = try remark(world, "pal")
        _ = try remark(world, "rude")
        _ = try remark(world, "")
        // An import, whose texts are not reviewed, writes the remark, even the same one.
        _ = try remark(world, "rude")
        #expect(try world.importFriend("B", of: "A") { $0.remark = "rude" }.changed)
        // Marks and groups leave a review alone.
        _ = try remark(world, "new", of: "C")
        _ = try world.update("C", of: "A") { ($0.starred, $0.groups) = (true, ["g"]) }
        #expect(try world.reviews().rows.map(\.friendUserID) == ["C"])
        #expect(
            try decisions(world) == [.approved, .withdrawn, .withdrawn, .withdrawn])
        try expectWhole(world)
    }

    @Test func reviewsStayWhenTheFieldIsReviewedNoMore() throws {
        let world = try world()
        _ = try remark(world, "pal")
        world.settings.reviewedFields = ReviewedPaths()
        #expect(try world.reviews().rows.map(\.text) == ["pal"])
        _ = try remark(world, "mate")
        #expect(try world.reviews().rows.isEmpty)
        #expect(try world.friend("B", of: "A")?.remark == "mate")
        try expectWhole(world)
    }

    // MARK: Rows that are made

    @Test func textsOfNewRowsAreReviewed() throws {
        let world = try world(friends: [])
        _ = try world.setProfile(of: "C", [.allowType]) { $0.allowType = .needConfirm }
        _ = try world.add("B", to: "A") { ($0.remark, $0.wording) = ("pal", "hi") }
        // The remark of an application is reviewed once the row has it.
        _ = try world.add("C", to: "A") { $0.remark = "mate" }
        #expect(try world.reviews().rows.map(\.text) == ["pal"])
        _ = try world.respond(to: "A", of: "C", .agreeAndAdd) { $0.remark = "Ann" }
        let rows = try world.reviews().rows
        #expect(rows.map(\.text) == ["pal", "mate", "Ann"])
        #expect(rows.map(\.userID) == ["A", "A", "C"])
        #expect(rows.map(\.friendUserID) == ["B", "C", "A"])
        try expectWhole(world)
    }

    @Test func textsOfAnAdministratorAreNotReviewed() throws {
        let world = try world()
        _ = try remark(world, "rude")
        try world.call(by: "A") { (ledger) throws(StorageError) in
            var change = FriendItem(user: "B")
            change.values.remark = "rude"
            change.isReviewed = false
            let outcome = try FriendRules.update(change, of: "A", in: ledger)
            #expect(outcome == .success)
        }
        #expect(try world.reviews().rows.isEmpty)
        #expect(try world.friend("B", of: "A")?.remark == "rude")
        try expectWhole(world)
    }

    @Test func theReviewOfAHiddenFieldIsForAdministratorsAlone() throws {
        let world = try world { settings in
            var met = CustomField(.friend, "Met", .string)
            met.isReadable = false
            settings.customFields = [met, CustomField(.profile, "Met", .string)]
            settings.reviewedFields.held = ["custom.Met"]
        }
        let text = [CustomValue("Met", .data([0x61]))]
        _ = try world.update("B", of: "A") { $0.custom = text }
        _ = try world.write("A", [], customKeys: ["Met"]) { $0.custom = text }
        let events = try world.events(of: "A").filter { $0.kind == .reviewAsked }
        #expect(events.count == 2)
        for isAdmin in [false, true] {
            let view = ChangeView(isAdmin: isAdmin, world.settings)
            let seen = events.map { view.masked($0).items.first?.review?.friendUserID }
            #expect(seen == [isAdmin ? "B" : nil, ""])
        }
    }

    // MARK: Bounds

    @Test func anAppThatIsFullTakesNoMoreFieldsButOtherTexts() throws {
        let world = try world(friends: ["B"]) { $0.limits.reviews = 1 }
        _ = try remark(world, "pal")
        let before = try world.snapshot(of: Self.users)
        #expect(try world.add("C", to: "A") { $0.remark = "mate" } == full)
        #expect(
            try world.update("B", of: "A") {
                $0.custom = [CustomValue("Met", .data([0x61]))]
                $0.starred = true
            } == full)
        #expect(try world.snapshot(of: Self.users) == before)
        #expect(try remark(world, "mate") == .success)
        #expect(try world.add("C", to: "A") == .success)
        #expect(try world.decide(2, approve: false) == .success)
        #expect(try remark(world, "new", of: "C") == .success)
        try expectWhole(world)
    }

    @Test func anAnswerToAnApplicationIsNotHeldUpByTheApplicantsTexts() throws {
        let world = try world(friends: []) { $0.limits.reviews = 0 }
        _ = try world.setProfile(of: "B", [.allowType]) { $0.allowType = .needConfirm }
        _ = try world.add("B", to: "A") { $0.remark = "pal" }
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd) { $0.remark = "Ann" } == full)
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd) == .success)
        #expect(try world.reviews().rows.map(\.text) == ["pal"])
        try expectWhole(world)
    }

    // MARK: Rows that go

    @Test func theEndOfARowEndsItsReviews() throws {
        let world = try world()
        _ = try remark(world, "pal")
        _ = try remark(world, "mate", of: "C")
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try world.decide(1, approve: false) == none)
        #expect(try world.block("A", by: "C") == .success)
        #expect(try world.reviewCounts().count == 0)
        #expect(try world.userRecord(of: "A")?.friendReviewCount == 0)
        #expect(try decisions(world) == [.withdrawn, .withdrawn])
        try expectWhole(world)
    }

    @Test(arguments: ["A", "B"] as [UserID])
    func reviewsGoWithTheAccountOfEitherSide(user: UserID) throws {
        let world = try world()
        _ = try remark(world, "pal")
        _ = try remark(world, "mate", of: "C")
        try world.deleteAccount(user)
        try world.runJobs()
        let left = user == "A" ? [] : ["C"]
        #expect(try world.reviews().rows.map(\.friendUserID) == left)
        #expect(try world.decide(1, approve: true) == none)
        #expect(try Audit(world, Self.users).findings == [])
        #expect(try world.integrity() == [])
    }

    // MARK: The list

    @Test func pagesOfAUserHaveProfileAndFriendsByTheirNumbers() throws {
        let world = try world { $0.reviewedFields.held = ["nick"] }
        _ = try remark(world, "mate", of: "C")
        _ = try world.write("A", [.nick]) { $0.nick = "Ann" }
        _ = try remark(world, "pal")
        func ids(_ user: UserID?) throws -> [[String]] {
            var (pages, after): ([[String]], UInt64) = ([], 0)
            repeat {
                let page = try world.reviews(of: user, after: after, limit: 2)
                pages.append(page.rows.map { "\($0.reviewID) \($0.field) \($0.friendUserID)" })
                after = page.next ?? 0
            } while after != 0
            return pages
        }
        let pages = [["1 remark C", "2 nick "], ["3 remark B"]]
        #expect(try ids(nil) == pages)
        #expect(try ids("A") == pages)
        try expectWhole(world)
    }

    // MARK: Damage

    @Test func aCheckFindsAndRepairsWhatDoesNotFit() throws {
        let damages = [
            Damage("reviews") { ledger in
                Tables.reviewIndex.remove(ledger.app.reviews, 1, in: ledger.transaction)
            },
            Damage("reviews") { (ledger) throws(StorageError) in
                try Tables.reviewIndex.set(
                    ReviewIndexRecord(of: "A", "C"), at: ledger.app.reviews, 1,
                    in: ledger.transaction)
            },
            Damage("reviews_of_friends") { (ledger) throws(StorageError) in
                try Tables.friendReviews.set(
                    FriendReviewsRecord(), at: ledger.partition(of: "A"), "ghost",
                    in: ledger.transaction)
            },
            Damage("reviews_of_friends") { (ledger) throws(StorageError) in
                try ledger.changeUserRecord(of: "A") { $0.friendReviewCount = 7 }
            },
            Damage("review_places") { (ledger) throws(StorageError) in
                try Tables.reviewIndex.set(
                    ReviewIndexRecord(of: "A", "C"), at: ledger.app.reviews, 9,
                    in: ledger.transaction)
            },
        ]
        for damage in damages {
            let world = try world()
            _ = try remark(world, "pal")
            try world.call(by: nil, damage.make)
            let found = try world.integrity()
            #expect(found.contains { $0.contains(damage.subject) }, "\(damage.subject)")
            try world.call(by: nil) { (ledger) throws(StorageError) in
                for user in Self.users { _ = try Integrity.repair(user, in: ledger) }
                _ = try Integrity.repairReviews(in: ledger)
            }
            try expectWhole(world)
            #expect(try world.decide(1, approve: false) == .success)
        }
    }
}
