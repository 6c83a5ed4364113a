package import RelationCore
package import RelationModel
import Storage

/// Fills a world with every trace that a user can leave, under an id and with texts that begin with
/// a mark of their own.
package struct ErasureFill {
    package static let others: [UserID] = ["ann", "bob", "eve", "joe", "kim"]
    private let world: World
    private let rare: UserID
    private let mark: String

    package init(_ world: World, _ rare: UserID, _ mark: String) {
        self.world = world
        self.rare = rare
        self.mark = mark
    }

    package func fill() throws(StorageError) {
        try world.create(Self.others + [rare])
        // The id had an account before, whose deletion can still be asked for.
        try world.deleteAccount(rare)
        try world.runJobs()
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try Accounts.create(rare, nick: "\(mark) nick", faceURL: "", in: ledger)
        }
        try fillFriends()
        try fillOthers()
        try fillTraces()
        world.advance(milliseconds: 1_000)
    }

    private func expect<Outcome>(_ outcome: Outcome, _ isRight: (Outcome) -> Bool) {
        precondition(isRight(outcome), "the store is not filled: \(outcome)")
    }

    /// Friends, groups, applications and blacklists, some of which have ended.
    private func fillFriends() throws(StorageError) {
        world.makeFriends(rare, "ann")
        world.makeFriends(rare, "joe")
        let reviewed = world.settings.reviewedFields
        world.settings.reviewedFields.friends = ["remark"]
        expect(try world.update(rare, of: "ann") { $0.remark = "\(mark) remark" }) { $0.changed }
        world.settings.reviewedFields = reviewed
        expect(try world.createGroup("team", with: [rare], of: "ann")) { $0.changed }
        expect(try world.createGroup("\(mark) team", with: ["ann"], of: rare)) { $0.changed }
        // Joe has no relation any more: his log and his tombstone are all.
        expect(try world.delete(rare, from: "joe", .both)) { $0.changed }
        expect(try world.block(rare, by: "eve")) { $0.changed }
        expect(try world.unblock(rare, by: "eve")) { $0.changed }
        expect(try world.block(rare, by: "kim")) { $0.changed }
        expect(try world.block("eve", by: rare)) { $0.changed }
        for user in ["bob", "joe"] as [UserID] { try world.allow(.needConfirm, for: user) }
        for user in ["bob", "joe"] as [UserID] {
            expect(try world.add(rare, to: user, .single)) { $0.code == .success }
            _ = try world.delete(rare, from: user)
            let asked = try world.add(user, to: rare, .single) { $0.wording = "\(mark) wording" }
            expect(asked) { $0.code == .pending }
        }
        expect(try world.respond(to: rare, of: "bob", .reject)) { $0.changed }
    }

    /// Follows, subscriptions, dismissals, a status and invitations.
    private func fillOthers() throws(StorageError) {
        expect(try world.follow("kim", rare)) { $0.code != .success || $0.changed }
        expect(try world.follow("ann", rare)) { $0.changed }
        expect(try world.follow(rare, "ann")) { $0.changed }
        expect(try world.follow("joe", rare)) { $0.changed }
        expect(try world.unfollow("joe", rare)) { $0.changed }
        expect(try world.subscribe("ann", to: rare)) { $0 == .success }
        expect(try world.subscribe("bob", to: rare)) { $0 == .success }
        expect(try world.unsubscribe("bob", from: rare)) { $0 == .success }
        expect(try world.subscribe(rare, to: "ann", .userProfile)) { $0 == .success }
        expect(try world.dismiss(rare, for: "joe")) { $0.changed }
        expect(try world.dismiss("bob", for: rare)) { $0.changed }
        expect(try world.setStatus("\(mark) status", of: rare)) { $0.changed }
        expect(try world.invite(1, of: rare) { $0.text = "\(mark) invitation" }) { $0.changed }
        expect(try world.invite(2, of: "bob") { $0.preApproved = true }) { $0.changed }
        expect(try world.accept(2, by: rare)) { $0.code == .success }
        expect(try world.report("kim", by: rare, text: "\(mark) report")) { $0.changed }
        expect(try world.report(rare, by: "kim", text: "\(mark) too")) { $0.changed }
        _ = try world.setProfile(of: rare, [.selfSignature]) {
            $0.selfSignature = Array("\(mark) signature".utf8)
        }
    }

    /// Rows that the store's own work leaves.
    private func fillTraces() throws(StorageError) {
        let result = [0x0A, UInt8(rare.text.utf8.count)] + Array(rare.text.utf8)
        let answer = [0x22, UInt8(result.count)] + result
        for user in ["ann", .administrator] as [UserID] {
            try world.call(by: user) { (ledger) throws(StorageError) in
                try Answers.store(answer, under: RequestID("r"), digest: [1], of: user, in: ledger)
            }
        }
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try SessionRules.end(rare, before: ledger.now.milliseconds, in: ledger)
        }
        var retention = RetentionRecord()
        (retention.isLooking, retention.lookedAt) = (true, rare.text)
        var progress = ImportRecord()
        progress.position = ImportPosition()
        progress.position?.userID = rare.text
        var failure = HookFailureRecord()
        (failure.userID, failure.cause) = (rare.text, "it answered: no \(rare.text)")
        let key = HookFailureKey(HookID("a0a0a0a0a0a0a0a0"), 1)
        let app = world.app
        try world.write { (transaction) throws(StorageError) in
            try Tables.retention.set(retention, at: app.maintenance, OnlyKey(), in: transaction)
            try Tables.imports.set(
                progress, at: app.maintenance, ImportKey("ImportApp", "one"), in: transaction)
            try Tables.longLogs.set(EmptyRecord(), at: app.maintenance, rare, in: transaction)
            try Tables.hookFailures.set(failure, at: app.partition, key, in: transaction)
        }
    }
}
