import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// The records of an audit: each has the hash of the one before, and old ones go.
@Suite struct AuditChainTests {
    private static let day: Int64 = 86_400_000
    private static let userSalt = [UInt8](1...16)
    private static let requestSalt = [UInt8](101...116)

    private func append(
        _ method: String, _ world: World, user: String = "", request: String = "",
        isOld: Bool = false
    ) throws {
        var row = AuditRow()
        row.kind = .call
        row.method = method
        row.timeMs = world.now.milliseconds
        row.userID = user
        if !user.isEmpty {
            row.userSalt = Self.userSalt
            row.userDigest = AuditChain.digest(ofUser: user, row.userSalt)
        }
        row.requestID = request
        if !request.isEmpty, !isOld {
            row.requestDigest = AuditChain.digest(ofRequest: request, Self.requestSalt)
        }
        try world.commit { (transaction) throws(StorageError) in
            try AuditChain.append(row, to: world.app, in: transaction)
        }
    }

    private func rows(_ world: World) throws -> [AuditRow] {
        try world.read { (transaction) throws(StorageError) in
            try AuditChain.page(after: 0, limit: 1_000, of: world.app, in: transaction)
        }
    }

    private func summary(_ world: World) throws -> AuditSummary {
        try world.read { (transaction) throws(StorageError) in
            try AuditChain.summary(of: world.app, in: transaction)
        }
    }

    /// The sequences of the records that do not follow the one before them.
    private func errors(_ rows: [AuditRow]) -> [Int64] {
        var errors: [Int64] = []
        var previous = rows.first?.previousHash ?? AuditChain.noHash
        for row in rows {
            if !AuditChain.isWhole(row, after: previous) { errors.append(row.sequence) }
            previous = row.hash
        }
        return errors
    }

    private func trim(_ world: World, days: Int, limit: Int = 100) throws -> Bool {
        try world.commit { (transaction) throws(StorageError) in
            try AuditChain.trim(
                world.app, keeping: days, at: world.now, limit: limit, in: transaction)
        }
    }

    @Test func eachRecordFollowsTheOneBefore() throws {
        let world = try World()
        for number in 0..<5 { try append("m\(number)", world) }
        var rows = try rows(world)
        #expect(rows.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(rows[0].previousHash == AuditChain.noHash && errors(rows) == [])
        let summary = try summary(world)
        #expect((summary.last, summary.count, summary.hash) == (5, 5, rows[4].hash))
        rows[2].method = "other"
        #expect(errors(rows) == [3])
        rows[2] = rows[3]
        #expect(errors(rows) == [4, 4])
    }

    /// Each field that is hashed, changed alone.
    @Test func noFieldCanBeChangedUnseen() {
        let changes: [(inout AuditRow) -> Void] = [
            { $0.sequence = 2 }, { $0.kind = .trim }, { $0.timeMs = 1 }, { $0.method = "m" },
            { $0.caller = "m" }, { $0.callerName = "m" }, { $0.userDigest = [1] },
            { $0.code = 1 }, { $0.reason = "m" }, { $0.requestID = "m" },
            { $0.requestBytes = 1 }, { $0.applied = true }, { $0.address = "m" },
            { $0.count = 1 }, { $0.subject = 1 }, { $0.subjectHash = [1] },
            { $0.requestDigest = [1] },
        ]
        var seen: Set<[UInt8]> = [AuditRow().hashedBytes]
        for change in changes {
            var row = AuditRow()
            change(&row)
            #expect(seen.insert(row.hashedBytes).inserted)
        }
        #expect(seen.count == changes.count + 1)
        // The bytes of a file from before are verified by this.
        #expect(AuditRow().hashedBytes == [UInt8](repeating: 0, count: 16 * 8))
        var row = AuditRow()
        (row.sequence, row.method) = (0x0102, "ab")
        #expect(row.hashedBytes.prefix(8) == [0, 0, 0, 0, 0, 0, 1, 2])
        #expect(row.hashedBytes[24..<34] == [0, 0, 0, 0, 0, 0, 0, 2, 0x61, 0x62])
    }

    @Test func theUserIsErasedAndTheChainStaysWhole() throws {
        let world = try World("ann", "rare")
        try append("m", world, user: "ann")
        try append("m", world, user: "rare")
        try append("m", world)
        let before = try rows(world)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try AccountDeletion.start("rare", erasing: .init(digest: "d"), in: ledger)
        }
        try world.runJobs()
        let after = try rows(world)
        #expect(errors(after) == [])
        #expect(after.prefix(3).map(\.userID) == ["ann", "", ""])
        #expect(after[1].userSalt == [] && after[1].userDigest == before[1].userDigest)
        #expect(after.prefix(3).map(\.hash) == before.map(\.hash))
        let receipt = try #require(after.last)
        #expect(after.count == 4 && receipt.kind == .erasure && receipt.subject == 1)
        #expect(receipt.count > 0 && receipt.subjectHash.count == 32)
        #expect(receipt.userID.isEmpty)
    }

    /// The hash covers a digest of a request id, and the id of rows of an older version.
    @Test func aRequestIDIsHashedByItsDigest() {
        var row = AuditRow()
        row.requestID = "r1"
        let old = row.hashedBytes
        row.requestDigest = AuditChain.digest(ofRequest: "r1", Self.requestSalt)
        let digest = AuditChain.digest(ofUser: "r1", Self.requestSalt)
        #expect(row.requestDigest == digest + Self.requestSalt)
        let length = [UInt8](repeating: 0, count: 7) + [32]
        #expect(row.hashedBytes == AuditRow().hashedBytes + length + digest)
        #expect(row.hashedBytes != old)
        // An erasure removes the id and the salt.
        let made = row.hashedBytes
        (row.requestID, row.requestDigest) = ("", digest)
        #expect(row.hashedBytes == made)
        row.hash = AuditChain.hash(of: row, after: [])
        #expect(AuditChain.isWhole(row, after: []))
        for change: (inout AuditRow) -> Void in [
            { $0.requestID = "r1" }, { $0.requestDigest += Self.requestSalt },
            { ($0.requestID, $0.requestDigest) = ("r2", digest + Self.requestSalt) },
            { $0.requestDigest = [] }, { $0.userSalt = [1] }, { $0.userID = "ann" },
        ] {
            var changed = row
            change(&changed)
            #expect(!AuditChain.isWhole(changed, after: []))
        }
        row.requestID = "r1"
        row.requestDigest = digest + Self.requestSalt
        #expect(AuditChain.isWhole(row, after: []))
        // The digest is that of the salt and the text, wherever one ends and the other begins.
        row.requestID = "1"
        row.requestDigest = digest + Self.requestSalt + Array("r".utf8)
        #expect(!AuditChain.isWhole(row, after: []))
        row.requestID = "tr1"
        row.requestDigest = digest + Self.requestSalt.dropLast()
        #expect(Self.requestSalt.last == Array("t".utf8)[0])
        #expect(!AuditChain.isWhole(row, after: []))
    }

    /// A byte of the salt is none of the user, and a byte of the user none of the salt.
    @Test func aUserIsTheOneOfTheDigestToTheByte() {
        var row = AuditRow()
        row.userSalt = Self.requestSalt
        row.userDigest = AuditChain.digest(ofUser: "10042", row.userSalt)
        for (user, salt) in [
            ("10042", Self.requestSalt), ("42", Self.requestSalt + Array("100".utf8)),
            ("t10042", Self.requestSalt.dropLast()), ("", Self.requestSalt),
        ] {
            (row.userID, row.userSalt) = (user, Array(salt))
            row.hash = AuditChain.hash(of: row, after: [])
            #expect(AuditChain.isWhole(row, after: []) == (user == "10042"))
        }
    }

    @Test func requestIDsGoWithTheUserWhomTheyName() throws {
        let world = try World("ann", "rare")
        try append("m", world, user: "rare", request: "r1")
        try append("m", world, user: "ann", request: "add:rare:7")
        try append("m", world, request: "rare")
        try append("m", world, user: "ann", request: "rarely-1")
        try append("m", world, user: "rare", request: "r2", isOld: true)
        try append("m", world, user: "ann", request: "of-rare", isOld: true)
        let before = try rows(world)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try AccountDeletion.start("rare", erasing: .init(digest: "d"), in: ledger)
        }
        try world.runJobs()
        let after = try rows(world)
        #expect(errors(after) == [])
        #expect(after.prefix(6).map(\.userID) == ["", "ann", "", "ann", "", "ann"])
        // A row of an older version keeps its id, which is hashed as it is.
        #expect(after.prefix(6).map(\.requestID) == ["", "", "", "rarely-1", "r2", "of-rare"])
        #expect(after.prefix(6).map(\.requestDigest.count) == [32, 32, 32, 48, 0, 0])
        #expect(after.prefix(6).map(\.hash) == before.map(\.hash))
        #expect(after[1].userSalt == before[1].userSalt)
    }

    @Test(arguments: [
        ("ann", true), ("add-ann-7", true), ("ann:bob", true), ("1_ann", true), ("张ann李", true),
        ("anna", false), ("plan", false), ("9ann", false), ("ann9", false), ("annann", false),
        ("an", false), ("", false), ("anna-ann", true), ("用户加", false), ("加张三了", true),
        ("a.b@c.d", true), ("xa.b@c.d", false), ("annê", false), ("éann", false),
        ("ann\u{301}", false), ("ann-é", true), ("яann", false), ("ann_я", true), ("annक", false),
        ("annไ", true), ("annか", true), ("ann를", true), ("ann٣", false), ("ann²", false),
        ("张三\u{301}", false),
    ])
    func anIDStandsInATextAsAWord(_ text: String, _ isNamed: Bool) {
        let names = ErasedNames(["ann", "张三", "a.b@c.d"])
        #expect(names.words(inText: text).isEmpty == !isNamed)
    }

    @Test func theWordsAroundAnIDAreAllThatMayBeAnotherOne() throws {
        let names = ErasedNames(["7", "ann"])
        let words = names.words(inText: "ann-b7-7")
        #expect(words.map(\.index) == [1, 0])
        let around = words.map { Set($0.around.map(\.text)) }
        #expect(around[0] == ["ann-", "ann-b7", "ann-b7-", "ann-b7-7"])
        #expect(around[1] == ["-7", "b7-7", "-b7-7", "ann-b7-7"])
        #expect(names.words(inText: "ann").map(\.around) == [[]])
    }

    /// A word of another account may have an erased id in it.
    @Test func requestIDsThatNameAnotherAccountStay() throws {
        let world = try World("ann", "ann-b", "add:7", "7")
        let ids = [
            "add:ann-b", "add:ann-c", "ann-b:ann", "add:7", "del:7", "7", "ann-b", "x:add:7:y",
        ]
        for id in ids { try append("m", world, request: id) }
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for user: UserID in ["ann", "7"] {
                _ = try AccountDeletion.start(user, erasing: .init(digest: "d"), in: ledger)
            }
        }
        try world.runJobs()
        let after = try rows(world)
        #expect(errors(after) == [])
        #expect(
            after.prefix(8).map(\.requestID) == [
                "add:ann-b", "", "", "add:7", "", "", "ann-b", "x:add:7:y",
            ])
    }

    /// So many users are looked up in one step; the next one goes on behind the last record.
    @Test func aStepLooksUpSoManyUsersAndTheNextGoesOn() throws {
        let world = try World("a")
        let id = Array(repeating: "a", count: 16).joined(separator: "-")
        let looks = ErasedNames(["a"]).words(inText: id).first?.around.count ?? 0
        #expect(looks == 30)
        let count = 3 * Limits.rowsPerErasureStep / looks
        #expect(
            count < Limits.rowsPerErasureStep, "the limit of rows is not the one that is reached")
        for _ in 0..<count { try append("m", world, request: id) }
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try AccountDeletion.start("a", erasing: .init(digest: "d"), in: ledger)
        }
        while try world.nextJob()?.erases == false { _ = try world.stepJob() }
        var steps = 0
        while try world.nextJob() != nil {
            _ = try world.stepJob()
            steps += 1
        }
        #expect(steps >= 3)
        let after = try rows(world)
        #expect(errors(after) == [] && after.count == count + 1)
        let named = after.count { !$0.requestID.isEmpty }
        #expect(named == 0)
        #expect(after.last?.kind == .erasure && after.last?.count ?? 0 >= Int64(count))
    }

    @Test func anAppWithoutAnAuditGetsNoRecordOfAnErasure() throws {
        let world = try World("rare")
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try AccountDeletion.start("rare", erasing: .init(digest: ""), in: ledger)
        }
        try world.runJobs()
        #expect(try rows(world) == [] && summary(world) == AuditSummary())
    }

    @Test func oldRecordsGoADayAtATimeAndTheChainGoesOn() throws {
        let world = try World()
        for number in 0..<4 {
            try append("m\(number)", world)
            world.advance(milliseconds: Self.day)
        }
        #expect(try !trim(world, days: 4))
        #expect(try rows(world).count == 4)
        #expect(try !trim(world, days: 2))
        let kept = try rows(world)
        let mark = try #require(kept.last)
        #expect(kept.map(\.sequence) == [3, 4, 5] && errors(kept) == [])
        #expect(mark.kind == .trim && mark.count == 2 && mark.subject == 2)
        #expect(mark.subjectHash == kept[0].previousHash)
        #expect(try summary(world).count == 3)
        #expect(try !trim(world, days: 2), "once a day")
        #expect(try rows(world).count == 3)
        // All go, and the next one still follows.
        world.advance(milliseconds: 10 * Self.day)
        #expect(try !trim(world, days: 1))
        #expect(try rows(world).map(\.sequence) == [6])
        try append("m", world)
        #expect(try errors(rows(world)) == [] && summary(world).last == 7)
    }

    @Test func aStepRemovesSoManyAndTheNextGoesOn() throws {
        let world = try World()
        for number in 0..<5 { try append("m\(number)", world) }
        world.advance(milliseconds: 3 * Self.day)
        #expect(try trim(world, days: 1, limit: 2))
        #expect(try trim(world, days: 1, limit: 2))
        #expect(try !trim(world, days: 1, limit: 2))
        let rows = try rows(world)
        #expect(rows.map(\.kind) == [.trim, .trim, .trim] && errors(rows) == [])
        #expect(rows.map(\.subject) == [2, 4, 5])
    }

    @Test func aPageBeginsAfterASequence() throws {
        let world = try World()
        for number in 0..<5 { try append("m\(number)", world) }
        let page = try world.read { (transaction) throws(StorageError) in
            try AuditChain.page(after: 2, limit: 2, of: world.app, in: transaction)
        }
        #expect(page.map(\.method) == ["m2", "m3"])
    }
}
