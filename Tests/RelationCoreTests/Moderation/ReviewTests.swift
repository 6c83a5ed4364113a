import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct ReviewTests {
    private static let users: [UserID] = ["A", "B"]

    private func world(_ edit: (inout AppSettings) -> Void = { _ in }) throws -> World {
        var settings = AppSettings.tim
        settings.customFields = [
            CustomField(.profile, "Held", .string), CustomField(.profile, "Size", .uint64),
        ]
        settings.reviewedFields.held = ["nick", "custom.Held", "custom.Size"]
        settings.reviewedFields.shown = ["self_signature", "link", "nick"]
        edit(&settings)
        let world = try World(settings: settings)
        try world.create(Self.users)
        return world
    }

    private func expectWhole(_ world: World) throws {
        #expect(try Audit(world, Self.users).findings == [])
        #expect(try world.integrity() == [])
    }

    private func writeNick(
        _ world: World, _ nick: String?, asAdministrator: Bool = false
    ) throws -> Profiles.Result {
        try world.write("A", [.nick], asAdministrator: asAdministrator) { $0.nick = nick }
    }

    private func writeLink(_ world: World, _ link: String?) throws -> Profiles.Result {
        try world.write("A", [.link]) { $0.link = link }
    }

    private func kinds(_ world: World) throws -> [ChangeKind] {
        try world.events(of: "A").map(\.kind)
    }

    private let none = FriendOutcome(.invalidParameter, Reason.ReviewDecide.notExist)

    // MARK: A value that is held

    @Test func aHeldValueChangesNothingThatOthersSee() throws {
        let world = try world()
        #expect(try writeNick(world, "Ann") == .done(version: 0, changed: true))
        #expect(try world.profile(of: "A").nick == nil)
        let review = try #require(try world.reviews().rows.first)
        #expect((review.reviewID, review.userID, review.field) == ("1", "A", "nick"))
        #expect((review.state, review.text) == (.held, "Ann"))
        #expect(review.writeTimeMs == world.now.milliseconds)
        // The log of the user has it alone.
        let event = try #require(try world.events(of: "A").last)
        #expect(event.kind == .reviewAsked && event.items.map(\.review) == [review])
        #expect(event.items.first?.profile == nil)
        // The same value once more is no other one.
        #expect(try writeNick(world, "Ann") == .done(version: 0, changed: false))
        try expectWhole(world)
    }

    @Test func anApprovedValueIsSeenAndARejectedOneIsNot() throws {
        let world = try world()
        _ = try writeNick(world, "Ann")
        #expect(try world.decide(1, approve: true) == .success)
        #expect(try world.profile(of: "A").nick == "Ann")
        #expect(try kinds(world) == [.reviewAsked, .profileChange, .reviewDecided])
        #expect(try world.decide(1, approve: true) == none)
        _ = try writeNick(world, "Bad")
        #expect(try world.decide(2, approve: false, reason: "be kind") == .success)
        let profile = try world.profile(of: "A")
        #expect(profile.nick == "Ann" && profile.version == 1)
        let notified = try #require(try world.events(of: "A").last?.items.first?.review)
        #expect(
            (notified.decision, notified.reasonText, notified.text) == (.rejected, "be kind", "Bad")
        )
        try expectWhole(world)
    }

    @Test func anotherValueHasAnotherReview() throws {
        let world = try world()
        _ = try writeNick(world, "Ann")
        _ = try writeNick(world, "Anna")
        // A moderator that saw the first value decides nothing about the second one.
        #expect(try world.decide(1, approve: true) == none)
        #expect(try world.reviews().rows.map(\.text) == ["Anna"])
        #expect(try world.decide(2, approve: true) == .success)
        #expect(try world.profile(of: "A").nick == "Anna")
        try expectWhole(world)
    }

    // MARK: A value that is shown

    @Test func aRejectedValueIsTakenBack() throws {
        let world = try world()
        #expect(try writeLink(world, "one") == .done(version: 1, changed: true))
        #expect(try world.profile(of: "A").link == "one")
        #expect(try world.decide(1, approve: true) == .success)
        #expect(try world.profile(of: "A").version == 1)
        _ = try writeLink(world, "two")
        _ = try writeLink(world, "three")
        let review = try #require(try world.reviews().rows.first)
        // It goes back to what was approved, and not to a value without a decision.
        #expect((review.text, review.formerText, review.state) == ("three", "one", .shown))
        #expect(try world.decide(3, approve: false) == .success)
        #expect(try world.profile(of: "A").link == "one")
        let event = try #require(try world.events(of: "A").last { $0.kind == .profileChange })
        #expect(event.items.first?.fields == ["link"])
        try expectWhole(world)
    }

    @Test func bytesThatAreNoTextAreReviewedAsBytes() throws {
        let world = try world()
        _ = try world.write("A", [.selfSignature]) { $0.selfSignature = [0xff, 1] }
        _ = try world.write("A", [.selfSignature]) { $0.selfSignature = Array("text".utf8) }
        #expect(try world.reviews().rows.map(\.text) == ["text"])
        _ = try world.write("A", [.selfSignature]) { $0.selfSignature = [0xff, 2] }
        let review = try #require(try world.reviews().rows.first)
        #expect(review.data == [0xff, 2] && review.text.isEmpty && review.formerData.isEmpty)
        #expect(try world.decide(3, approve: false) == .success)
        #expect(try world.profile(of: "A").selfSignature == nil)
        try expectWhole(world)
    }

    // MARK: The end of a review

    @Test func aReviewEndsWhenNothingIsLeftToDecide() throws {
        let world = try world()
        _ = try writeNick(world, "Ann", asAdministrator: true)
        #expect(try world.reviews().rows.isEmpty)
        // The user goes back to the approved value.
        _ = try writeNick(world, "Bad")
        #expect(try writeNick(world, "Ann") == .done(version: 1, changed: true))
        // The user empties the field.
        _ = try writeNick(world, "Bad")
        #expect(try writeNick(world, nil) == .done(version: 2, changed: true))
        #expect(try world.profile(of: "A").nick == nil)
        // A caller whose values are not reviewed writes the field.
        _ = try writeNick(world, "Bad")
        #expect(
            try writeNick(world, "Set", asAdministrator: true) == .done(version: 3, changed: true))
        #expect(try world.profile(of: "A").nick == "Set")
        _ = try writeLink(world, "one")
        _ = try writeLink(world, nil)
        #expect(try world.profile(of: "A").link == nil)
        #expect(try world.reviewCounts().count == 0)
        let ends = try world.events(of: "A").filter { $0.kind == .reviewDecided }
        let decisions = ends.flatMap(\.items).compactMap { $0.review?.decision }
        #expect(decisions == [.withdrawn, .withdrawn, .withdrawn, .withdrawn])
        try expectWhole(world)
    }

    @Test func reviewsStayWhenTheFieldIsReviewedNoMore() throws {
        let world = try world()
        _ = try writeNick(world, "Ann")
        world.settings.reviewedFields = ReviewedPaths()
        #expect(try world.reviews().rows.map(\.text) == ["Ann"])
        // The next value of the field is not reviewed, and ends the review.
        _ = try writeNick(world, "Bea")
        #expect(try world.profile(of: "A").nick == "Bea")
        #expect(try world.reviews().rows.isEmpty)
        try expectWhole(world)
    }

    @Test func aFieldMayGoFromOneListToTheOther() throws {
        let world = try world()
        _ = try writeLink(world, "one")
        world.settings.reviewedFields.held = ["link"]
        world.settings.reviewedFields.shown = ["nick"]
        // A value that is shown without approval goes when another one is held.
        _ = try writeLink(world, "two")
        #expect(try world.profile(of: "A").link == nil)
        _ = try writeNick(world, "Ann")
        world.settings.reviewedFields = ReviewedPaths()
        world.settings.reviewedFields.shown = ["link"]
        _ = try writeLink(world, "two")
        #expect(try world.profile(of: "A").link == "two")
        let reviews = try world.reviews(of: "A").rows
        #expect(reviews.map(\.field) == ["nick", "link"])
        #expect(reviews.map(\.state) == [.shown, .shown])
        try expectWhole(world)
    }

    // MARK: Custom fields

    @Test func aCustomTextIsReviewedAndANumberIsNot() throws {
        let world = try world()
        let result = try world.write("A", [], customKeys: ["Held", "Size"]) {
            $0.custom = [
                CustomValue("Held", .data(Array("text".utf8))), CustomValue("Size", .number(7)),
            ]
        }
        #expect(result == .done(version: 1, changed: true))
        #expect(try world.profile(of: "A").custom == [CustomValue("Size", .number(7))])
        #expect(try world.reviews().rows.map(\.field) == ["custom.Held"])
        #expect(try world.decide(1, approve: true) == .success)
        let held = try world.profile(of: "A").custom.first { $0.key == "Held" }
        #expect(held?.value == .data(Array("text".utf8)))
        try expectWhole(world)
    }

    // MARK: Bounds

    @Test func anAppThatIsFullTakesNoMoreFieldsButOtherValues() throws {
        let world = try world { $0.limits.reviews = 1 }
        _ = try writeNick(world, "Ann")
        let before = try world.snapshot(of: Self.users)
        #expect(
            try world.write("A", [.link, .level]) { ($0.link, $0.level) = ("one", 3) }
                == .reviewsFull(paths: ["link"], version: 0))
        #expect(try world.snapshot(of: Self.users) == before)
        #expect(try writeNick(world, "Anna") == .done(version: 0, changed: true))
        #expect(try writeLink(world, nil) == .done(version: 0, changed: false))
        #expect(try world.decide(2, approve: false) == .success)
        #expect(try writeLink(world, "one") == .done(version: 1, changed: true))
        try expectWhole(world)
    }

    @Test func anAppThatIsFullMakesNoAccountForAValueThatItDoesNotTake() throws {
        let world = try world { $0.limits.reviews = 0 }
        #expect(
            try world.write("new", [.nick]) { $0.nick = "Ann" }
                == .reviewsFull(paths: ["nick"], version: 0))
        #expect(try world.userRecord(of: "new") == nil)
        #expect(
            try world.write("new", [.level]) { $0.level = 3 } == .done(version: 1, changed: true))
        #expect(try Audit(world, Self.users + ["new"]).findings == [])
        #expect(try world.integrity() == [])
    }

    @Test func reviewsOfADeletedAccountGo() throws {
        let world = try world()
        _ = try writeNick(world, "Ann")
        _ = try world.write("B", [.link]) { $0.link = "two" }
        try world.deleteAccount("A")
        try world.runJobs()
        #expect(try world.decide(1, approve: true) == none)
        #expect(try world.reviews().rows.map(\.userID) == ["B"])
        #expect(try world.reviewCounts().count == 1)
        try expectWhole(world)
    }

    // MARK: The list

    @Test func pagesHaveTheOneThatWaitsLongestFirst() throws {
        let world = try world()
        _ = try writeLink(world, "one")
        _ = try world.write("B", [.nick]) { $0.nick = "Bob" }
        _ = try writeNick(world, "Ann")
        func ids(_ user: UserID?, _ limit: Int) throws -> [[String]] {
            var (pages, after): ([[String]], UInt64) = ([], 0)
            repeat {
                let page = try world.reviews(of: user, after: after, limit: limit)
                pages.append(page.rows.map(\.reviewID))
                after = page.next ?? 0
            } while after != 0
            return pages
        }
        #expect(try ids(nil, 2) == [["1", "2"], ["3"]])
        #expect(try ids("A", 1) == [["1"], ["3"]])
        #expect(try ids("B", 2) == [["2"]])
        #expect(try ids("ghost", 2) == [[]])
    }

    @Test func longReviewsMakeShortPages() throws {
        var settings = AppSettings.tim
        settings.reviewedFields.held = ["nick"]
        settings.limits.nick = .bytes(4_000)
        let world = try World(settings: settings)
        let users = (0..<600).compactMap { UserID("user\($0)") }
        try world.create(users)
        let nick = String(repeating: "x", count: 4_000)
        for user in users { _ = try world.write(user, [.nick]) { $0.nick = nick } }
        let page = try world.reviews(limit: 1_000)
        let next = try #require(page.next)
        #expect(next == UInt64(page.rows.count) && page.rows.count < 300)
        #expect(try world.reviews(after: next).rows.first?.number == next + 1)
    }

    // MARK: Damage

    @Test func aCheckFindsAndRepairsWhatDoesNotFit() throws {
        let damages = [
            Damage("reviews") { ledger in
                Tables.reviewIndex.remove(ledger.app.reviews, 1, in: ledger.transaction)
            },
            Damage("review_places") { (ledger) throws(StorageError) in
                try Tables.reviewIndex.set(
                    ReviewIndexRecord(of: "B"), at: ledger.app.reviews, 9, in: ledger.transaction)
            },
            Damage("review_places") { ledger in
                Tables.reviewCounts.remove(ledger.app.reviews, OnlyKey(), in: ledger.transaction)
            },
        ]
        for damage in damages {
            let world = try world()
            _ = try writeNick(world, "Ann")
            try world.call(by: nil, damage.make)
            let found = try world.integrity()
            #expect(found.contains { $0.contains(damage.subject) }, "\(damage.subject)")
            try world.call(by: nil) { (ledger) throws(StorageError) in
                for user in Self.users { _ = try Integrity.repair(user, in: ledger) }
                _ = try Integrity.repairReviews(in: ledger)
            }
            try expectWhole(world)
            #expect(try world.decide(1, approve: true) == .success)
        }
    }
}
