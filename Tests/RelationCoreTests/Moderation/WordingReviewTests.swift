import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The reviews of the wordings with which users apply and add.
@Suite struct WordingReviewTests {
    private static let users: [UserID] = ["A", "B", "C"]
    private let none = FriendOutcome(.invalidParameter, Reason.ReviewDecide.notExist)
    private let full = FriendOutcome(.invalidParameter, Reason.ReviewDecide.friendsFull)

    /// A world in which users are asked before others have them as friends.
    private func world(_ edit: (inout AppSettings) -> Void = { _ in }) throws -> World {
        var settings = AppSettings.tim
        settings.defaultAllowType = .needConfirm
        settings.reviewedFields.friends = ["wording"]
        edit(&settings)
        let world = try World(settings: settings)
        try world.create(Self.users)
        return world
    }

    private func expectWhole(_ world: World) throws {
        #expect(try Audit(world, Self.users).findings == [])
        #expect(try world.integrity() == [])
    }

    @discardableResult
    private func apply(
        _ world: World, _ wording: String, to user: UserID = "B", of owner: UserID = "A"
    ) throws -> FriendOutcome {
        try world.add(user, to: owner) { $0.wording = wording }
    }

    /// The wording of A's application in A's list and in that of B.
    private func wordings(_ world: World) throws -> [String?] {
        [
            try world.pendency(.sendOut, with: "B", of: "A")?.wording,
            try world.pendency(.comeIn, with: "A", of: "B")?.wording,
        ]
    }

    /// The wordings in A's row of B, and in B's row of A.
    private func rows(_ world: World) throws -> [String?] {
        [
            try world.friend("B", of: "A")?.wording, try world.friend("A", of: "B")?.wording,
        ]
    }

    private func decisions(_ world: World) throws -> [ReviewDecision] {
        try world.events(of: "A").flatMap(\.items).compactMap { item in
            item.review.flatMap { $0.decision == .unspecified ? nil : $0.decision }
        }
    }

    // MARK: An application that waits

    @Test func aNewWordingIsThereAndUnderReview() throws {
        let world = try world()
        try apply(world, "hi")
        #expect(try wordings(world) == ["hi", "hi"])
        let review = try #require(try world.reviews().rows.first)
        #expect((review.userID, review.friendUserID, review.field) == ("A", "B", "wording"))
        #expect((review.state, review.text, review.formerText) == (.shown, "hi", ""))
        let kinds = try world.events(of: "A").suffix(2).map(\.kind)
        #expect(kinds == [.addFriendRequest, .reviewAsked])
        // The user who is asked learns of no review.
        #expect(try world.events(of: "B").allSatisfy { $0.items.allSatisfy { $0.review == nil } })
        // The same wording once more asks for none.
        try apply(world, "hi")
        #expect(try world.reviews().rows == [review])
        try expectWhole(world)
    }

    @Test func aRejectedWordingGoesFromBothListsAndNothingBecomesUnread() throws {
        let world = try world()
        try apply(world, "buy this")
        let timeMs = try #require(try world.pendency(.comeIn, with: "A", of: "B")?.timeMs)
        #expect(try world.report(upTo: timeMs, of: "B") == 0)
        #expect(try world.decide(1, approve: false, reason: "no advertising") == .success)
        #expect(try wordings(world) == ["", ""])
        let received = try #require(try world.pendency(.comeIn, with: "A", of: "B"))
        #expect(received.timeMs == timeMs)
        #expect(try world.userRecord(of: "B")?.unreadCount == 0)
        let notified = try #require(try world.events(of: "B").last)
        #expect(
            notified.kind == .addFriendRequest && notified.items.first?.application?.wording == "")
        let mine = try world.events(of: "A").suffix(2)
        #expect(mine.map(\.kind) == [.addFriendRequest, .reviewDecided])
        let review = try #require(mine.last?.items.first?.review)
        #expect((review.decision, review.reasonText) == (.rejected, "no advertising"))
        #expect(try world.decide(1, approve: false) == none)
        // The application itself can be answered still.
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd) == .success)
        #expect(try rows(world) == ["", ""])
        try expectWhole(world)
    }

    @Test func aRepeatedApplicationGoesBackToTheApprovedWording() throws {
        let world = try world()
        try apply(world, "hi")
        #expect(try world.decide(1, approve: true) == .success)
        try apply(world, "rude")
        try apply(world, "worse")
        #expect(try world.decide(2, approve: false) == none)
        let review = try #require(try world.reviews().rows.first)
        #expect((review.text, review.formerText) == ("worse", "hi"))
        #expect(try world.decide(3, approve: false) == .success)
        #expect(try wordings(world) == ["hi", "hi"])
        // The approved one, and none, need no review.
        try apply(world, "rude")
        try apply(world, "hi")
        #expect(try world.reviews().rows.isEmpty)
        try apply(world, "rude")
        try apply(world, "")
        #expect(try world.reviews().rows.isEmpty)
        let ends: [ReviewDecision] = [.approved, .rejected, .withdrawn, .withdrawn]
        #expect(try decisions(world) == ends)
        try expectWhole(world)
    }

    /// A way in which an application ends without a friendship.
    enum Ending: CaseIterable {
        case refused, withdrawn, blocked, hiddenByBoth, expired
    }

    @Test(arguments: Ending.allCases)
    func theEndOfAnApplicationEndsItsReview(ending: Ending) throws {
        let world = try world { $0.applicationLifetimeMs = 1_000 }
        try apply(world, "hi")
        switch ending {
        case .refused: _ = try world.respond(to: "A", of: "B", .reject)
        case .withdrawn: _ = try world.withdraw(from: "B", of: "A")
        case .blocked: _ = try world.block("A", by: "B")
        case .hiddenByBoth:
            _ = try world.deletePendency(.sendOut, with: "B", of: "A")
            #expect(try world.reviews().rows.count == 1)
            try expectWhole(world)
            _ = try world.deletePendency(.comeIn, with: "A", of: "B")
        case .expired:
            world.now = Timestamp(milliseconds: world.now.milliseconds + 1_001)
            _ = try world.sweep()
        }
        #expect(try world.reviews().rows.isEmpty)
        #expect(try decisions(world) == [.withdrawn])
        #expect(try world.userRecord(of: "A")?.friendReviewCount == 0)
        try expectWhole(world)
    }

    @Test func aWordingOfAnApplicationThatOneSideHasHiddenIsTakenBackFromTheOther() throws {
        let world = try world()
        try apply(world, "rude")
        _ = try world.deletePendency(.sendOut, with: "B", of: "A")
        #expect(try world.decide(1, approve: false) == .success)
        #expect(try wordings(world) == [nil, ""])
        try expectWhole(world)
    }

    // MARK: The rows of friends

    @Test(arguments: [FriendResponseType.agree, .agreeAndAdd])
    func aWordingIsUnderReviewInTheRowsThatItsApplicationMakes(type: FriendResponseType) throws {
        let world = try world { $0.reviewedFields.friends = ["remark", "wording"] }
        _ = try world.add("B", to: "A") { ($0.wording, $0.remark) = ("rude", "Bob") }
        #expect(try world.respond(to: "A", of: "B", type) == .success)
        #expect(try world.reviews().rows.map(\.field) == ["wording", "remark"])
        try expectWhole(world)
        #expect(try world.decide(1, approve: false) == .success)
        #expect(try rows(world) == ["", type == .agreeAndAdd ? "" : nil])
        #expect(try world.friend("B", of: "A")?.remark == "Bob")
        #expect(
            try world.events(of: "B").last?.kind
                == (type == .agree ? .deleteFriendRequest : .friendChange))
        // The records of the application that has ended have it no more.
        for user in ["A", "B"] as [UserID] {
            let ended = try world.rows(of: Tables.handledApplications, of: user)
            #expect(ended.map(\.record.wording) == [""])
        }
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try world.reviewCounts().count == 0)
        try expectWhole(world)
    }

    @Test func aWordingOfAnAdditionWithoutAnApplicationIsReviewedOnBothSides() throws {
        let world = try world { $0.defaultAllowType = .allowAny }
        #expect(try apply(world, "rude") == .success)
        #expect(try rows(world) == ["rude", "rude"])
        let review = try #require(try world.reviews().rows.first)
        #expect((review.userID, review.friendUserID, review.text) == ("A", "B", "rude"))
        #expect(try world.decide(1, approve: false) == .success)
        #expect(try rows(world) == ["", ""])
        let notified = try world.events(of: "B").last
        #expect(notified?.kind == .friendChange)
        try expectWhole(world)
    }

    @Test func theWordingOfTheOtherSideStaysWhenOneIsRejected() throws {
        let world = try world()
        try apply(world, "hi", to: "B", of: "A")
        // B adds A, whose application waits: each row keeps the wording of its own list.
        #expect(try apply(world, "rude", to: "A", of: "B") == .success)
        #expect(try rows(world) == ["hi", "rude"])
        let texts = try world.reviews().rows.map { "\($0.userID) \($0.text)" }
        #expect(texts == ["A hi", "B rude"])
        #expect(try world.decide(2, approve: false) == .success)
        #expect(try rows(world) == ["hi", ""])
        try expectWhole(world)
    }

    @Test func aRowThatGoesLeavesTheReviewOfAnApplicationThatWaits() throws {
        let world = try world()
        _ = try world.importFriend("B", of: "A") { $0.remark = "Bob" }
        try apply(world, "rude")
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try world.reviews().rows.map(\.text) == ["rude"])
        try expectWhole(world)
        #expect(try world.decide(1, approve: false) == .success)
        #expect(try wordings(world) == ["", ""])
        try expectWhole(world)
    }

    @Test func anAdministratorAndAnImportEndTheReviewOfAWording() throws {
        let world = try world()
        for isImport in [true, false] {
            let user: UserID = isImport ? "B" : "C"
            try apply(world, "rude", to: user)
            #expect(try world.reviews().rows.map(\.text) == ["rude"])
            if isImport {
                _ = try world.importFriend(user, of: "A") { $0.wording = "set" }
            } else {
                try world.call(by: "A") { (ledger) throws(StorageError) in
                    var addition = FriendItem(user: user)
                    (addition.values.wording, addition.isReviewed) = ("set", false)
                    let outcome = try FriendRules.add(
                        addition, to: "A", .both, force: true, in: ledger)
                    #expect(outcome == .success)
                }
            }
            #expect(try world.reviews().rows.isEmpty)
            #expect(try world.friend(user, of: "A")?.wording == "set")
            try expectWhole(world)
        }
        #expect(try decisions(world) == [.withdrawn, .withdrawn])
    }

    // MARK: Bounds

    @Test func anAppThatIsFullTakesNoWordingAndOneWithoutRoomForBothTakesNeither() throws {
        let world = try world { settings in
            settings.limits.reviews = 1
            settings.reviewedFields.friends = ["remark", "wording"]
        }
        _ = try world.setProfile(of: "C", [.allowType]) { $0.allowType = .allowAny }
        let before = try world.snapshot(of: Self.users)
        let both = try world.add("C", to: "A") { ($0.remark, $0.wording) = ("Cat", "hi") }
        #expect(both == full)
        #expect(try world.snapshot(of: Self.users) == before)
        try apply(world, "hi")
        #expect(try apply(world, "hi", to: "A", of: "C") == full)
        #expect(try world.pendency(.comeIn, with: "C", of: "A") == nil)
        #expect(try apply(world, "", to: "A", of: "C").code == .pending)
        // Another wording takes the place of the one that is under review.
        #expect(try apply(world, "hello").code == .pending)
        #expect(try world.reviews().rows.map(\.text) == ["hello"])
        try expectWhole(world)
    }

    @Test(arguments: ["A", "B"] as [UserID])
    func reviewsGoWithTheAccountOfEitherSide(user: UserID) throws {
        let world = try world()
        try apply(world, "hi")
        try world.deleteAccount(user)
        try world.runJobs()
        #expect(try world.reviews().rows.isEmpty)
        #expect(try world.reviewCounts().count == 0)
        #expect(try Audit(world, Self.users).findings == [])
        #expect(try world.integrity() == [])
    }

    @Test func aCheckDropsTheReviewOfAnApplicationThatIsGone() throws {
        let world = try world()
        try apply(world, "hi")
        try world.call(by: nil) { (ledger) throws(StorageError) in
            let review = try Tables.friendReviews.record(
                ledger.partition(of: "A"), "B", in: ledger.transaction)
            try Tables.friendReviews.set(
                review ?? FriendReviewsRecord(), at: ledger.partition(of: "A"), "C",
                in: ledger.transaction)
        }
        #expect(try world.integrity().contains { $0.contains("reviews_of_friends") })
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for user in Self.users { _ = try Integrity.repair(user, in: ledger) }
            _ = try Integrity.repairReviews(in: ledger)
        }
        #expect(try world.reviews().rows.map(\.friendUserID) == ["B"])
        try expectWhole(world)
    }
}
