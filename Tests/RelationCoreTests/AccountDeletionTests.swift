import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct AccountDeletionTests {
    private let users: [UserID] = ["A", "B", "C", "D"]

    private func start(
        _ user: UserID, _ world: World
    ) throws(StorageError) -> AccountDeletion.Start {
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start(user, in: ledger)
        }
    }

    @Test func fromTheStartTheAccountIsNone() throws {
        let world = try World("A", "B")
        world.makeFriends("A", "B")
        #expect(try start("A", world) == .started(1))
        #expect(try world.userRecord(of: "A") == nil)
        #expect(try world.add("A", to: "B").code == .accountNotFound)
        #expect(try world.delete("A", from: "B").code == .accountNotFound)
        #expect(try world.directory() == ["B"])
        #expect(try start("A", world) == .isRunning(1))
        #expect(try start("unknown", world) == .noAccount)
    }

    @Test func emptyingAListLeavesTheRowsOfAFriendThatIsBeingDeletedToItsDeletion() throws {
        let world = try World("A", "B", "C")
        world.makeFriends("A", "B")
        world.makeFriends("A", "C")
        #expect(try start("A", world) == .started(1))
        #expect(try world.deleteAll(of: "B", .both) == (1, 0))
        #expect(try world.userRecord(of: "A") == nil)
        try world.runJobs()
        #expect(try world.friends(of: "B") == [] && world.friends(of: "C") == [])
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
        #expect(try world.kinds(of: "A") == [Tables.departed.kind])
    }

    @Test func everyRowOfBothSidesGoesAndTheOthersAreNotified() throws {
        let world = try World("A", "B", "C", "D")
        world.makeFriends("A", "B")
        #expect(try world.add("A", to: "C", .single) == .success)
        #expect(try world.add("D", to: "A", .single) == .success)
        #expect(try world.block("A", by: "B") == .success)
        world.makeFriends("A", "B")
        #expect(try world.block("C", by: "A") == .success)
        #expect(try world.add("A", to: "C", .single).code == .inOtherSideBlacklist)
        #expect(try world.importFriend("A", of: "C") == .success)
        try world.allow(.needConfirm, for: "D")
        try world.allow(.needConfirm, for: "A")
        #expect(try world.add("A", to: "D", .single).code == .pending)
        for (owner, other) in [("A", "B"), ("C", "A"), ("D", "B")] as [(UserID, UserID)] {
            #expect(try world.dismiss(other, for: owner) == .success)
        }
        let sequences = try users.map { try world.userRecord(of: $0)?.sequence ?? 0 }

        #expect(try start("A", world) == .started(1))
        try world.runJobs()
        #expect(try Audit(world, users).findings == [])
        #expect(try world.kinds(of: "A") == [Tables.departed.kind])
        let deletion = try #require(try world.deletion(1))
        #expect(deletion.state == .done)
        #expect(deletion.rowsRemoved > 10)
        // The dismissals of A, and those of A by others, are gone.
        let dismissed = try users.map {
            try world.rows(of: Tables.dismissals, of: $0).map(\.key)
        }
        #expect(dismissed == [[], [], [], ["B"]])
        #expect(try world.rows(of: Tables.dismissers, of: "B").map(\.key) == ["D"])

        let kinds = try zip(users, sequences).dropFirst().map { user, sequence in
            try world.events(of: user, after: sequence).map(\.kind)
        }
        #expect(
            kinds == [
                [.deleteFriend, .deleteBlacklist], [.deleteFriend, .dismissalsChanged],
                [.deleteFriendRequest],
            ])
        let notified = try world.events(of: "B", after: sequences[1])
        #expect(notified.map(\.actorUserID) == ["", ""])
        #expect(notified.first?.items.map(\.userID) == ["A"])
    }

    @Test func aDeletionIsDoneInStepsAndEachLeavesTheOthersWhole() throws {
        let world = try World()
        let others = (0..<300).map { UserID(stored: "user\($0)".utf8) }
        try world.create(["X"] + others)
        for (number, other) in others.enumerated() {
            switch number % 3 {
            case 0: world.makeFriends("X", other)
            case 1: #expect(try world.add("X", to: other, .single) == .success)
            default: #expect(try world.block("X", by: other) == .success)
            }
        }
        #expect(try start("X", world) == .started(1))
        var steps = 0
        while try !world.stepJob() {
            steps += 1
            let names = try Audit(world, others).findings.filter {
                // Between the steps, the rows that are left name a user that is not an account.
                !$0.contains("mentions") && !$0.contains("feed names X")
            }
            #expect(names == [])
        }
        #expect(steps > 2)
        #expect(try world.nextJob() == nil)
        #expect(try Audit(world, ["X"] + others).findings == [])
        #expect(try others.allSatisfy { try world.userRecord(of: $0)?.friendCount == 0 })
    }

    @Test(arguments: [true, false])
    func whoHidItsRecordOfAnApplicationStillTakesTheOthersAlong(_ asked: Bool) throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A", .single).code == .pending)
        try world.call(by: asked ? "B" : "A") { (ledger) throws(StorageError) in
            if asked {
                try Applications.hide(.comeIn, with: "A", of: "B", in: ledger)
            } else {
                try Applications.hide(.sendOut, with: "B", of: "A", in: ledger)
            }
        }
        #expect(try Audit(world, users).findings == [])
        #expect(try start(asked ? "B" : "A", world) == .started(1))
        try world.runJobs()
        #expect(try world.pendencies(of: asked ? "A" : "B").items.isEmpty)
        #expect(try Audit(world, users).findings == [])
    }

    @Test(arguments: [false, true])
    func whoHidItsRecordOfADeletedUsersApplicationIsNotNamedInIt(_ asked: Bool) throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A", .single).code == .pending)
        try world.call(by: asked ? "B" : "A") { (ledger) throws(StorageError) in
            if asked {
                try Applications.hide(.comeIn, with: "A", of: "B", in: ledger)
            } else {
                try Applications.hide(.sendOut, with: "B", of: "A", in: ledger)
            }
        }
        #expect(try start(asked ? "A" : "B", world) == .started(1))
        try world.runJobs()
        #expect(try Audit(world, users).findings == [])
        #expect(try !world.kinds(of: asked ? "B" : "A").contains(Tables.mentions.kind))
    }

    @Test func aUserMadeAgainGoesOnWithItsOldSequenceAndVersions() throws {
        let world = try World("A", "B")
        world.makeFriends("A", "B")
        for _ in 0..<3 { try world.allow(.needConfirm, for: "A") }
        _ = try world.setProfile(of: "A", [.nick]) { $0.nick = "Ann" }
        let old = try #require(try world.userRecord(of: "A"))
        let version = try world.profile(of: "A").version
        #expect(try start("A", world) == .started(1))
        #expect(try world.make("A") == .isLeaving)
        #expect(try world.userRecord(of: "A") == nil)
        try world.runJobs()
        world.advance(milliseconds: 5)
        #expect(try world.make("A") == .made)
        let userRecord = try #require(try world.userRecord(of: "A"))
        #expect(userRecord.sequence == old.sequence + 1)
        #expect(userRecord.friendsSequence == userRecord.sequence)
        #expect(userRecord.friendCount == 0)
        #expect(userRecord.createdMs == world.now.milliseconds)
        #expect(try world.profile(of: "A").version == version + 1)
        #expect(try world.profile(of: "A").nick == nil)
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.userRecord(of: "A")?.sequence == userRecord.sequence + 1)
        let findings = try Audit(world, users).findings
        #expect(findings == [])
    }

    @Test func aDeletionThatBrokeOffGoesOnWhereItStood() throws {
        let store = MemoryStore()
        let world = try World("A", "B", on: store)
        world.makeFriends("A", "B")
        #expect(try start("A", world) == .started(1))
        let again = try World(on: MemoryStore(rowsOf: store))
        try again.runJobs()
        #expect(try again.deletion(1)?.state == .done)
        #expect(try Audit(again, users).findings == [])
    }

    @Test func deletionsAreDoneOneAfterAnother() throws {
        let world = try World("A", "B", "C")
        world.makeFriends("A", "B")
        world.makeFriends("B", "C")
        #expect(try start("A", world) == .started(1))
        #expect(try start("B", world) == .started(2))
        try world.runJobs()
        #expect(try world.deletion(1)?.state == .done)
        #expect(try world.deletion(2)?.state == .done)
        #expect(try Audit(world, users).findings == [])
        #expect(try world.friends(of: "C") == [])
    }

    @Test func anAppIsRemovedWithEverythingAndNoOtherAppLosesARow() throws {
        let store = MemoryStore()
        let world = try World("A", "B", on: store)
        world.makeFriends("A", "B")
        let other = try World(on: store)
        other.app = App(id: 8, settings: .tim)
        try other.create(users)
        other.makeFriends("A", "D")
        let before = try other.snapshot(of: users)
        try world.write { (transaction) throws(StorageError) in
            try Jobs.deleteApp(world.app.id, in: transaction)
        }
        try world.runJobs()
        #expect(try world.snapshot(of: users).allSatisfy(\.isEmpty))
        #expect(try world.directory() == [])
        #expect(try other.snapshot(of: users) == before)
        #expect(try other.directory() == users)
    }
}

@Suite struct DirectoryTests {
    @Test(arguments: [1, 7, 100, 1000])
    func pagesHoldEveryAccountOnceInOrderOfItsID(_ rows: Int) throws {
        let world = try World()
        let users = (0..<700).map { UserID(stored: "u\($0 * 7919 % 1000)".utf8) }
        try world.create(users)
        var found: [UserID] = []
        while true {
            let page = try world.directory(after: found.last, limit: rows)
            found += page
            if page.count < rows { break }
        }
        #expect(found == users.sorted())
        #expect(try Audit(world, users).findings == [])
    }

    @Test func aPageAfterAnIDThatIsGoneBeginsBehindIt() throws {
        let world = try World("a", "c", "e")
        #expect(try world.directory(after: "b", limit: 1) == ["c"])
        #expect(try world.directory(after: "e", limit: 1) == [])
    }
}
