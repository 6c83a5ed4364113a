import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// SetFindSettings: the choices of a user about who may find it.
@Suite struct FindSettingsTests {
    private func effective(_ user: UserID, in world: World) throws -> [Findability?] {
        let record = try #require(try world.userRecord(of: user))
        let effective = record.effective(world.settings)
        return [FindWay.id, .uniqueID, .name].map { effective[$0] }
    }

    @Test func theDefaultOfTheAppHoldsUntilTheUserChooses() throws {
        let world = try World("A")
        #expect(try effective("A", in: world) == [.everyone, .everyone, .everyone])
        #expect(try world.letFind("A", by: .uniqueID, .noUser))
        #expect(try effective("A", in: world) == [.everyone, .noUser, .everyone])
        world.settings.defaultFindability = .noUser
        #expect(try world.letFind("A", by: .name, .everyone))
        #expect(try effective("A", in: world) == [.noUser, .noUser, .everyone])
        #expect(try world.letFind("A", by: .name, .notSet))
        #expect(try effective("A", in: world) == [.noUser, .noUser, .noUser])
    }

    @Test func theOwnLogTellsAllChoicesAndTheSameChoiceChangesNothing() throws {
        let world = try World("A", "B")
        world.makeFriends("A", "B")
        let sequence = try world.userRecord(of: "B")?.sequence
        #expect(try !world.letFind("A", by: .id, .notSet))
        #expect(try world.letFind("A", by: .id, .noUser))
        #expect(try !world.letFind("A", by: .id, .noUser))
        #expect(try world.letFind("A", by: .name, .everyone))
        let notified = try world.events(of: "A").filter { $0.kind == .findSettingsChanged }
            .compactMap { $0.items.first?.findSettings }
        #expect(notified.map(\.byID) == [.noUser, .noUser])
        #expect(notified.map(\.byName) == [.notSet, .everyone])
        #expect(try world.userRecord(of: "B")?.sequence == sequence)
    }

    @Test func aNewAccountOfADeletedIDHasNoChoices() throws {
        let world = try World("A")
        try world.letFind("A", by: .name, .noUser)
        try world.deleteAccount("A")
        try world.runJobs()
        try world.create(["A"])
        #expect(try effective("A", in: world) == [.everyone, .everyone, .everyone])
    }

    @Test func aChoiceThatALaterServerWroteLetsNoUserFind() throws {
        let world = try World("A")
        try world.changeUserRecord(of: "A") { $0.findByName = Findability(rawValue: 7) }
        #expect(try effective("A", in: world) == [.everyone, .everyone, .noUser])
    }

    @Test func aUniqueIDFindsOnlyWhomItMayFind() throws {
        let world = try World("A", "B")
        _ = try world.setProfile(of: "B", [.uniqueID]) { $0.uniqueID = "bee" }
        func found(_ viewer: UserID, isAdmin: Bool = false) throws -> UserID? {
            try world.read { (transaction) throws(StorageError) in
                try Profiles.found(
                    by: UniqueID(stored: "bee"), for: viewer, isAdmin: isAdmin, at: world.now,
                    app: world.app, in: transaction)
            }
        }
        #expect(try found("A") == "B")
        try world.letFind("B", by: .uniqueID, .noUser)
        #expect(try found("A") == nil)
        #expect(try found("B") == "B")
        #expect(try found("A", isAdmin: true) == "B")
        // The other ways are other choices.
        try world.letFind("B", by: .uniqueID, .notSet)
        try world.letFind("B", by: .name, .noUser)
        #expect(try found("A") == "B")
    }
}
