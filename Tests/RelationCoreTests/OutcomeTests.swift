import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The outcomes of rules say whether a row changed.
@Suite struct OutcomeTests {
    /// The result of `body`, and whether it has changed any row of the app.
    private func watching<Result>(
        _ world: World, _ body: () throws -> Result
    ) throws -> (result: Result, changed: Bool) {
        let before = try world.everything()
        let result = try body()
        return (result, try world.everything() != before)
    }

    @Test func aRefusalHasChangedNothingAndADoneItemHas() {
        #expect(!FriendOutcome(.invalidParameter, Reason.FriendAdd.oneself).changed)
        #expect(!FriendOutcome(.success, Reason.existed).changed)
        #expect(!SubscriptionOutcome(.publisherFull, Reason.Subscribe.publisherFull).changed)
        #expect(FriendOutcome.success.changed && FriendOutcome.success.code == .success)
        #expect(!FriendOutcome.unchanged.changed && FriendOutcome.unchanged.code == .success)
        #expect(FriendOutcome.done(changing: true) == .success)
        #expect(FriendOutcome.done(changing: false) == .unchanged)
        #expect(FriendOutcome.unchanged.isAcceptable)
        #expect(FriendOutcome(.pending, Reason.FriendAdd.needConfirm).isAcceptable)
        #expect(!FriendOutcome.blocked.isAcceptable && FriendStatus.block == .blocked)
        #expect(!SubscriptionOutcome(.publisherFull, Reason.Subscribe.publisherFull).isAcceptable)
        #expect(SubscriptionStatus.block == nil && ProfileStatus.block == nil)
    }

    @Test func anAnswerWithoutChangeIsTheSameInItsPartsToo() {
        var outcome = FriendOutcome.success
        let refusal = FriendOutcome(.groupAddNotFriend, Reason.GroupAdd.notFriend)
        outcome.parts = [.success, refusal]
        let answered = outcome.withoutChange
        #expect(!answered.changed && answered.code == .success)
        #expect(answered.parts == [.unchanged, refusal])
        let pending = FriendOutcome(.pending, Reason.FriendAdd.needConfirm, changed: true)
        #expect(pending.withoutChange == FriendOutcome(.pending, Reason.FriendAdd.needConfirm))
        let said = PermissionOutcome.success
        #expect(said.withoutChange == PermissionOutcome.unchanged)
    }

    @Test func anUpdateOfAFriendSaysWhetherTheRowDiffers() throws {
        let world = try World("A", "B")
        world.makeFriends("A", "B")
        let edits: [((inout FriendValues) -> Void, Bool)] = [
            ({ $0.remark = "dear" }, true), ({ $0.remark = "dear" }, false),
            ({ $0.groups = ["one"] }, true), ({ $0.groups = ["one"] }, false), ({ _ in }, false),
            ({ $0.custom = [CustomValue("Pet", .number(1))] }, true),
            ({ $0.custom = [CustomValue("Pet", .number(1))] }, false),
            ({ $0.remark = "" }, true), ({ $0.groups = [] }, true),
        ]
        for (edit, isChange) in edits {
            world.advance(milliseconds: 5)
            let (outcome, changed) = try watching(world) { try world.update("B", of: "A", edit) }
            #expect(outcome == .done(changing: isChange) && changed == isChange)
        }
    }

    @Test func anApplicationThatIsRenewedIsAChange() throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        for _ in 0..<2 {
            let (outcome, changed) = try watching(world) { try world.add("B", to: "A") }
            #expect(outcome == FriendOutcome(.pending, Reason.FriendAdd.needConfirm, changed: true))
            #expect(changed, "its time is a new one")
        }
    }

    @Test func anAccountThatARefusedItemNamesIsNoChangeOfTheItem() throws {
        let world = try World("A")
        world.settings.makesAccountsImplicitly = true
        let outcome = try world.unblock("new", by: "A")
        #expect(outcome == FriendOutcome(.notInBlacklist, Reason.BlacklistDelete.notInBlacklist))
        #expect(try world.userRecord(of: "new") != nil)
    }

    @Test func theMembersOfANewGroupHaveOutcomesOfTheirOwn() throws {
        let world = try World("A", "B", "C")
        world.makeFriends("A", "B")
        let made = try world.createGroup("work", with: ["B", "C", "ghost"], of: "A")
        #expect(made.changed && made.parts.map(\.changed) == [true, false, false])
        let again = try watching(world) { try world.createGroup("work", with: ["B"], of: "A") }
        #expect(!again.result.changed && again.result.parts.isEmpty && !again.changed)
    }

    @Test func emptyingAnEmptyListChangesNothing() throws {
        let world = try World("A", "B")
        #expect(try world.add("A", to: "B", .single) == .success)
        let (count, changed) = try watching(world) { try world.deleteAll(of: "A", .both) }
        #expect(count == (0, 0) && !changed)
    }

    // MARK: Apps

    /// Runs `body` for an app that the registry has.
    private func administer<Result>(
        _ world: World, _ body: (Ledger) throws(StorageError) -> Result
    ) throws -> (result: Result, changed: Bool) {
        try watching(world) {
            var change: AppChange?
            let result = try world.call(by: nil) { (ledger) throws(StorageError) in
                let result = try body(ledger)
                change = ledger.appChange
                return result
            }
            if let app = change?.app { world.app = app }
            return result
        }
    }

    private func registered() throws -> World {
        let world = try World("A")
        var making = AppRules.Making()
        making.id = world.app.id
        _ = try administer(world) { (ledger) throws(StorageError) in
            try AppRules.create(making, in: ledger)
        }
        return world
    }

    @Test func aClientAppChangesIfItIsNewOrHasAnotherName() throws {
        let world = try registered()
        for (name, isChange) in [("one", true), ("one", false), ("two", true), ("two", false)] {
            let (result, changed) = try administer(world) { (ledger) throws(StorageError) in
                try Permissions.register(ClientApp(id: "client", name: name), in: ledger)
            }
            #expect(result == .done(changed: isChange) && changed == isChange)
        }
        for number in 1..<Limits.clientApps {
            _ = try administer(world) { (ledger) throws(StorageError) in
                try Permissions.register(
                    ClientApp(id: ClientAppID(stored: "c\(number)"), name: "n"), in: ledger)
            }
        }
        let (result, changed) = try administer(world) { (ledger) throws(StorageError) in
            try Permissions.register(ClientApp(id: "more", name: "n"), in: ledger)
        }
        #expect(result == .full && !changed)
    }

    @Test func definingPermissionsSaysWhichOfThemChanged() throws {
        let world = try registered()
        let one = Permission("one", .extended, fields: ["level"])
        var other = one
        other.lifetimeMs = 5
        let two = Permission("two", .extended, fields: ["role"])
        func define(
            _ permissions: [Permission], allOrNothing: Bool = false
        ) throws -> (answered: [Bool], changed: Bool) {
            let (result, changed) = try administer(world) { (ledger) throws(StorageError) in
                try Permissions.define(
                    [.malformed(Reason.ConsentDefine.permissionIllegal)]
                        + permissions.map { .permission($0) }, allOrNothing: allOrNothing,
                    in: ledger)
            }
            #expect(result.changed == changed)
            return (result.outcomes.map(\.changed), changed)
        }
        #expect(try define([one, two], allOrNothing: true) == ([false, false, false], false))
        #expect(try define([one]) == ([false, true], true))
        #expect(try define([one]) == ([false, false], false))
        #expect(try define([one, two, two]) == ([false, false, true, true], true))
        #expect(try define([other, two]) == ([false, true, false], true))
    }

    @Test func aCustomFieldThatIsDefinedOrRetiredAgainDoesNotChange() throws {
        let world = try registered()
        func define(_ key: String, isReadable: Bool = true) throws -> FriendOutcome {
            var field = CustomField(.profile, key, .string)
            field.isReadable = isReadable
            let (outcome, changed) = try administer(world) {
                [field] (ledger) throws(StorageError) in
                try CustomFieldRules.define(field, in: ledger)
            }
            #expect(outcome.changed == changed)
            return outcome
        }
        func retire(_ key: String) throws -> FriendOutcome {
            let (outcome, changed) = try administer(world) { (ledger) throws(StorageError) in
                try CustomFieldRules.retire(key, of: .profile, in: ledger)
            }
            #expect(outcome.changed == changed)
            return outcome
        }
        func listed(_ owner: CustomFieldOwner?, withRetired: Bool) throws -> [String] {
            try world.read { (transaction) throws(StorageError) in
                try CustomFieldRules.list(
                    of: world.app.id, owner, withRetired: withRetired, in: transaction)
            }.map { "\($0.position) \($0.record.key)" }
        }
        for key in ["Blood", "Age", "City"] { #expect(try define(key) == .success) }
        #expect(try define("Age") == .unchanged)
        #expect(try define("Age", isReadable: false) == .success)
        #expect(try retire("Age") == .success)
        #expect(try retire("Age") == FriendOutcome(.tagNotFound, Reason.CustomField.notExist))
        // The order is that of the definitions, and a field keeps its place.
        #expect(try listed(nil, withRetired: false) == ["0 Blood", "2 City"])
        #expect(try listed(.profile, withRetired: true) == ["0 Blood", "1 Age", "2 City"])
        #expect(try listed(.friend, withRetired: true) == [])
        #expect(try define("Age") == .success, "it comes back")
        #expect(try listed(nil, withRetired: false) == ["0 Blood", "1 Age", "2 City"])
    }
}
