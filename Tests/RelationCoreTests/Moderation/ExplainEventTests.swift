import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The explanation of an event on its way to a stream.
@Suite struct ExplainEventTests {
    private func world() throws -> World {
        let world = try World("A", "B")
        var fields = [
            CustomField(.profile, "Notes", .string), CustomField(.friend, "Mark", .string),
        ]
        for index in fields.indices { fields[index].isReadable = false }
        world.settings.customFields = fields
        return world
    }

    private func explain(
        _ world: World, _ asked: WatchedEvents.Asked, of user: UserID? = "A",
        to viewer: UserID = "B"
    ) throws -> WatchedEvents.Explained {
        try world.read { (transaction) throws(StorageError) in
            try WatchedEvents.explain(
                asked, of: user, to: viewer, at: world.now, app: world.app, in: transaction)
        }
    }

    private func kinds(_ explained: WatchedEvents.Explained) -> [RungKind] {
        #expect(explained.rungs.filter(\.decided).count == 1)
        #expect(explained.rungs.last?.decided == true)
        return explained.rungs.map(\.kind)
    }

    /// Changes A's profile.
    ///
    /// - Returns: The sequence of the event.
    private func change(_ world: World, customKeys: [String] = []) throws -> Int64 {
        let set = try world.setProfile(of: "A", [.email, .nick], customKeys: customKeys) {
            $0.email = "ann@example.org"
            $0.nick = "Ann"
            for key in customKeys { $0.custom.set(.data(Array("calls often".utf8)), of: key) }
        }
        guard case .done(_, true) = set else {
            Issue.record("\(set)")
            return 0
        }
        return try #require(try world.log(of: "A").last).0
    }

    private static let ofOthers: [RungKind] = [
        .ownAccount, .peerID, .peerAccount, .loggedEvent, .eventKind, .otherUser, .eventReceiver,
        .peerBlacklist, .eventField,
    ]

    @Test func eachRungDecidesInACaseOfItsOwn() throws {
        let world = try world()
        let sequence = try change(world)
        let asked = WatchedEvents.Asked.sequence(sequence)
        #expect(try kinds(explain(world, asked, to: "ghost")) == [.ownAccount])
        #expect(try kinds(explain(world, asked, of: nil)) == [.ownAccount, .peerID])
        #expect(try kinds(explain(world, asked, of: "ghost")) == Array(Self.ofOthers.prefix(3)))
        let none = try explain(world, .sequence(sequence + 1))
        #expect(kinds(none) == Array(Self.ofOthers.prefix(4)))
        #expect(none.outcome == Outcome(.invalidParameter, Reason.EventExplain.notExist))
        #expect(none.rungs.last?.bound?.limit == sequence)
        #expect(try kinds(explain(world, asked, to: "A")) == Array(Self.ofOthers.prefix(6)))
        let unrelated = try explain(world, asked)
        #expect(kinds(unrelated) == Array(Self.ofOthers.prefix(7)) && !unrelated.comes)
        #expect(unrelated.rungs.last?.rows.map(\.isPresent) == [false, false])
        #expect(try world.add("A", to: "B", .single) == .success)
        let friend = try explain(world, asked)
        #expect(kinds(friend) == Self.ofOthers && friend.comes)
        #expect(friend.kind == .profileChange && friend.fields.map(\.path) == ["nick", "email"])
        world.settings.keepsFriendshipOnBlacklist = true
        #expect(try world.block("B", by: "A") == .success)
        let blocked = try explain(world, asked)
        #expect(kinds(blocked) == Array(Self.ofOthers.prefix(8)) && !blocked.comes)
    }

    @Test func aSubscriberIsNotifiedToo() throws {
        let world = try world()
        let sequence = try change(world)
        let subscribed = try world.call(by: "B") { (ledger) throws(StorageError) in
            try Subscriptions.subscribe(
                "B", to: "A", .userProfile, until: ledger.now.milliseconds + 1_000, in: ledger)
        }
        #expect(subscribed == .success)
        let explained = try explain(world, .sequence(sequence))
        #expect(explained.comes)
        let rung = try #require(explained.rungs.first { $0.kind == .eventReceiver })
        #expect(rung.rows.map(\.isPresent) == [false, true])
        world.advance(milliseconds: 1_000)
        #expect(try !explain(world, .sequence(sequence)).comes)
    }

    @Test func anEventWhoseFieldsAreHiddenDoesNotCome() throws {
        let world = try world()
        #expect(try world.add("A", to: "B", .single) == .success)
        let sequence = try change(world)
        try world.show("A", to: .invisible)
        var explained = try explain(world, .sequence(sequence))
        // The nick is on the card.
        #expect(explained.comes)
        #expect(explained.fields.map(\.state) == [.unspecified, .hidden])
        #expect(explained.fields[1].rungs.first(where: \.decided)?.kind == .profileAudience)
        let set = try world.setProfile(of: "A", [.email]) { $0.email = "b@example.org" }
        #expect(set == .done(version: 3, changed: true))
        let next = try #require(try world.log(of: "A").last).0
        explained = try explain(world, .sequence(next))
        #expect(!explained.comes && kinds(explained).last == .eventField)
        #expect(explained.fields.map(\.state) == [.hidden])
    }

    @Test func aUserSeesItsOwnEventsWithoutWhatAdministratorsRead() throws {
        let world = try world()
        let sequence = try change(world, customKeys: ["Notes"])
        let explained = try explain(world, .sequence(sequence), to: "A")
        #expect(explained.comes)
        #expect(explained.fields.map(\.path) == ["nick", "email", "custom.Notes"])
        let notes = try #require(explained.fields.first { $0.path == "custom.Notes" })
        #expect(notes.state == .hidden)
        #expect(notes.rungs.map(\.kind) == [.readableField, .fieldValue])
        #expect(explained.fields.first { $0.path == "email" }?.state == .unspecified)
        #expect(!"\(explained)".contains("calls often"))
        #expect(!"\(explained)".contains("ann@example.org"))
        let added = try world.add("B", to: "A") { $0.custom = [] }
        #expect(added == .success)
        let updated = try world.update("B", of: "A") {
            $0.custom = [CustomValue(key: "Mark", value: .data(Array("x".utf8)))]
        }
        #expect(updated == .success)
        let last = try #require(try world.log(of: "A").last).0
        let mark = try #require(try explain(world, .sequence(last), to: "A").fields.first)
        #expect(mark.path == "custom.Mark" && mark.state == .hidden)
        #expect(mark.rungs.first?.kind == .readableField && mark.rungs.first?.decided == true)
    }

    @Test(arguments: [ChangeKind.userReported, .reportResolved, .riskMarked, .accountDeleted])
    func eventsForModeratorsComeToNoUser(_ kind: ChangeKind) throws {
        let world = try world()
        for viewer: UserID in ["A", "B"] {
            let explained = try explain(world, .kind(kind), to: viewer)
            #expect(!explained.comes && kinds(explained).last == .eventKind)
            #expect(explained.rungs.last?.value == kind.name)
        }
    }

    @Test func mostKindsComeToTheirUserAlone() throws {
        let world = try world()
        #expect(try world.add("A", to: "B", .single) == .success)
        for value in ChangeKind.schema.values.dropFirst() {
            let kind = ChangeKind(rawValue: value.number)
            let toOther = try explain(world, .kind(kind)).comes
            #expect(toOther == (kind == .profileChange || kind == .visibilityChanged), "\(kind)")
        }
        #expect(try explain(world, .kind(.addFriend), to: "A").comes)
    }
}
