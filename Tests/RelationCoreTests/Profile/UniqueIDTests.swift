import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// Unique identifiers: one user of an app has each.
@Suite struct UniqueIDTests {
    private func owner(_ id: String, in world: World) throws -> UserID? {
        try world.read { (transaction) throws(StorageError) in
            try Profiles.owner(of: UniqueID(stored: id), app: world.app, in: transaction)
        }
    }

    private func assign(_ id: String?, to user: UserID, in world: World) throws {
        let result = try world.setProfile(of: user, [.uniqueID]) { $0.uniqueID = id }
        guard case .done(try world.profile(of: user).version, _) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func anIdentifierFindsItsUserUntilItIsChangedOrFreed() throws {
        let world = try World("A", "B")
        try assign("one", to: "A", in: world)
        #expect(try owner("one", in: world) == "A")
        try assign("two", to: "A", in: world)
        #expect(try owner("one", in: world) == nil)
        #expect(try owner("two", in: world) == "A")
        try assign("one", to: "B", in: world)
        #expect(try owner("one", in: world) == "B")
        try assign(nil, to: "A", in: world)
        #expect(try owner("two", in: world) == nil)
        #expect(try world.profile(of: "A").uniqueID == nil)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func capitalsMakeAnotherIdentifier() throws {
        let world = try World("A", "B")
        try assign("one", to: "A", in: world)
        try assign("One", to: "B", in: world)
        #expect(try owner("one", in: world) == "A")
        #expect(try owner("One", in: world) == "B")
        #expect(try owner("ONE", in: world) == nil)
        #expect(try owner("on", in: world) == nil)
    }

    @Test func appsHaveIdentifiersOfTheirOwn() throws {
        let store = MemoryStore()
        let one = try World("A", on: store)
        let two = try World(on: store)
        two.app = App(id: 8, settings: .tim)
        try assign("same", to: "A", in: one)
        #expect(try owner("same", in: two) == nil)
        try two.create(["B"])
        try assign("same", to: "B", in: two)
        #expect(try owner("same", in: one) == "A")
    }

    @Test func aDeletedAccountFreesItsIdentifier() throws {
        let world = try World("A", "B")
        try assign("one", to: "A", in: world)
        _ = try world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start("A", in: ledger)
        }
        // The identifier is free at once, and is not freed again with the rest of the rows: another
        // user may have it by then.
        #expect(try owner("one", in: world) == nil)
        try assign("one", to: "B", in: world)
        try world.runJobs()
        #expect(try owner("one", in: world) == "B")
    }

    @Test(arguments: [
        ("a", true), ("Z9", true), ("00", true), (String(repeating: "x", count: 32), true),
        (String(repeating: "x", count: 33), false), ("", false), (" a", false), ("a_b", false),
        ("a-b", false), ("é", false), ("a\u{0}", false), ("１", false), ("\u{212A}", false),
    ])
    func anIdentifierIsOneToThirtyTwoLettersAndDigits(_ text: String, _ isLegal: Bool) {
        for limits in [AppLimits.tim, .rongCloud] {
            #expect((UniqueID(text, limits) != nil) == isLegal)
        }
    }
}
