import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct ImportTests {
    private let users: [UserID] = ["A", "B", "C"]

    @Test func anImportAsksNoUser() throws {
        let world = try World("A", "B")
        try world.allow(.denyAny, for: "B")
        _ = try world.setProfile(of: "A", [.adminForbidType]) { $0.adminForbidType = .sendOut }
        #expect(try world.block("A", by: "B") == .success)
        #expect(try world.importFriend("B", of: "A", bothWays: true) == .success)
        #expect(try world.relation(of: "A", to: "B") == .bothWay)
        #expect(try Audit(world, users, sharp: false).findings == [])
    }

    @Test func theOtherSideGetsTimesSourceAndWordingOnly() throws {
        let world = try World("A", "B")
        let answer = try world.importFriend("B", of: "A", bothWays: true) {
            $0.addTimeMs = 11
            $0.remark = "dear"
            $0.remarkTimeMs = 12
            $0.groups = ["one", "two"]
            $0.source = "AddSource_Type_Old"
            $0.wording = "hello"
        }
        #expect(answer == .success)
        var mine = FriendRecord()
        mine.userID = "B"
        mine.remark = "dear"
        mine.groups = ["one", "two"]
        mine.source = "AddSource_Type_Old"
        mine.wording = "hello"
        mine.addTimeMs = 11
        mine.remarkTimeMs = 12
        mine.sequence = 2
        #expect(try world.friend("B", of: "A") == mine)
        var theirs = FriendRecord()
        theirs.userID = "A"
        theirs.source = "AddSource_Type_Old"
        theirs.wording = "hello"
        theirs.addTimeMs = 11
        theirs.sequence = 1
        #expect(try world.friend("A", of: "B") == theirs)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func absentFieldsOfAnExistingRowStay() throws {
        let world = try World("A", "B")
        let first = try world.importFriend("B", of: "A") {
            $0.addTimeMs = 11
            $0.remark = "dear"
            $0.groups = ["one"]
            $0.source = "AddSource_Type_Old"
            $0.wording = "hello"
        }
        #expect(first == .success)
        var row = try #require(try world.friend("B", of: "A"))
        let before = try world.snapshot(of: users)
        world.advance(milliseconds: 100)
        #expect(try world.importFriend("B", of: "A") == .unchanged)
        #expect(try world.snapshot(of: users) == before, "a row that says nothing changes nothing")
        let changes: [((inout FriendValues) -> Void, (inout FriendRecord) -> Void)] = [
            ({ $0.addTimeMs = 99 }, { $0.addTimeMs = 99 }),
            ({ $0.groups = ["two", "three"] }, { $0.groups = ["two", "three"] }),
            ({ $0.groups = [] }, { $0.groups = [] }),
            ({ $0.source = "" }, { $0.source = "" }),
            ({ $0.wording = "again" }, { $0.wording = "again" }),
            ({ $0.remarkTimeMs = 5 }, { $0.remarkTimeMs = 5 }),
            (
                { $0.remark = "new" },
                {
                    $0.remark = "new"
                    $0.remarkTimeMs = World.start + 100
                }
            ),
            ({ $0.remark = "new" }, { _ in }),
        ]
        for (edit, wanted) in changes {
            let old = row
            wanted(&row)
            #expect(try world.importFriend("B", of: "A", edit) == .done(changing: row != old))
            var found = try #require(try world.friend("B", of: "A"))
            found.sequence = row.sequence
            #expect(found == row)
            #expect(try Audit(world, users).findings == [])
        }
    }

    @Test func theReverseRowIsUpdatedTooAndKeepsItsRemark() throws {
        let world = try World("A", "B")
        #expect(try world.add("A", to: "B", .single) { $0.remark = "mine" } == .success)
        let answer = try world.importFriend("B", of: "A", bothWays: true) {
            $0.remark = "theirs"
            $0.addTimeMs = 7
        }
        #expect(answer == .success)
        #expect(try world.friend("A", of: "B")?.remark == "mine")
        #expect(try world.friend("A", of: "B")?.addTimeMs == 7)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func refusalsComeInOrderAndChangeNothing() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.friends = 1
        world.settings.limits.groups = 0
        world.settings.forbiddenWords = ["worse"]
        #expect(try world.add("C", to: "A", .single) == .success)
        #expect(try world.add("C", to: "B", .single) == .success)
        let before = try world.snapshot(of: users)
        func row(
            _ friend: UserID, of owner: UserID, remark: String
        ) throws(StorageError) -> FriendOutcome {
            try world.importFriend(friend, of: owner, bothWays: true) {
                $0.remark = remark
                $0.groups = ["one"]
            }
        }
        let reason = Reason.FriendImport.self
        let missing = FriendOutcome(.accountNotFound, reason.accountNotExist)
        #expect(
            try row("A", of: "A", remark: "worse")
                == FriendOutcome(.invalidParameter, reason.oneself))
        #expect(try row("ghost", of: "A", remark: "worse") == missing)
        #expect(try row("B", of: "ghost", remark: "worse") == missing)
        #expect(
            try row("B", of: "A", remark: "worse")
                == FriendOutcome(.sensitiveText, reason.sensitiveText))
        #expect(
            try row("B", of: "A", remark: "")
                == FriendOutcome(.selfFriendFull, reason.selfFriendFull))
        #expect(try world.snapshot(of: users) == before)
        #expect(try world.delete("C", from: "A") == .success)
        #expect(
            try row("B", of: "A", remark: "")
                == FriendOutcome(.theirFriendFull, reason.peerFriendFull))
        #expect(try world.friend("B", of: "A") == nil)
        #expect(try world.delete("C", from: "B") == .success)
        #expect(try row("B", of: "A", remark: "") == FriendOutcome(.groupLimit, reason.groupLimit))
        #expect(try world.relation(of: "A", to: "B") == FriendRelation.none)
        world.settings.limits.groups = 1
        #expect(try row("B", of: "A", remark: "") == .success)
        #expect(try row("B", of: "A", remark: "again") == .success, "full lists take changes")
        #expect(try Audit(world, users).findings == [])
    }

    @Test func withoutNotifyAChunkIsOneChangeOfTheList() throws {
        let world = try World("A", "B", "C")
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for friend: UserID in ["B", "C"] {
                var row = FriendImport.Row(owner: "A", friend: friend)
                row.bothWays = true
                _ = try FriendImport.write(row, notify: false, in: ledger)
                row.values.remark = "x"
                _ = try FriendImport.write(row, notify: false, in: ledger)
            }
        }
        #expect(try world.events(of: "A").map(\.kind) == [.listChanged])
        #expect(try world.events(of: "B").map(\.kind) == [.listChanged])
        #expect(try world.events(of: "A").map(\.items.count) == [0])
        #expect(try world.userRecord(of: "A")?.friendsSequence == 1)
        #expect(try world.rows(of: Tables.friends, of: "A").map(\.record.sequence) == [1, 1])
        #expect(try Audit(world, users).findings == [])
    }

    @Test func withNotifyEachRowIsReported() throws {
        let world = try World("A", "B", "C")
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for friend: UserID in ["B", "C"] {
                let row = FriendImport.Row(owner: "A", friend: friend)
                _ = try FriendImport.write(row, notify: true, in: ledger)
            }
        }
        let events = try world.events(of: "A")
        #expect(events.map(\.kind) == [.addFriend])
        #expect(events.first?.items.map(\.friendEntry?.userID) == ["B", "C"])
        #expect(events.first?.actorUserID == "")
        #expect(try world.importFriend("B", of: "A", notify: true) { $0.remark = "x" } == .success)
        #expect(try world.events(of: "A").last?.kind == .friendChange)
        #expect(try world.events(of: "B").isEmpty)
        #expect(try Audit(world, users).findings == [])
    }

    @Test func whoGainsAFriendByImportHasNoApplicationToItAnyMore() throws {
        let world = try World("A", "B")
        for user: UserID in ["A", "B"] { try world.allow(.needConfirm, for: user) }
        #expect(try world.add("B", to: "A", .single).code == .pending)
        #expect(try world.add("A", to: "B", .single).code == .pending)
        let count = try world.userRecord(of: "B")!.sequence
        #expect(try world.importFriend("B", of: "A") == .success)
        #expect(try world.pendency(.sendOut, with: "B", of: "A") == nil)
        #expect(try world.pendency(.comeIn, with: "B", of: "A") != nil)
        let ended = try world.events(of: "B", after: count)
        #expect(ended.map(\.kind) == [.deleteFriendRequest])
        #expect(ended.first?.items.map(\.application?.status) == [.accepted])
        #expect(try world.importFriend("B", of: "A", bothWays: true) == .success)
        #expect(try world.pendency(.comeIn, with: "B", of: "A") == nil)
        #expect(try Audit(world, users).findings == [])
    }
}
