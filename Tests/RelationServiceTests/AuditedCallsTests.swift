import RPC
import RelationCore
import RelationModel
import Synchronization
import Testing

@testable import RelationAdmission
@testable import RelationService

/// A server that records every call: reads find a place for their record, or no answer.
struct AuditedCallsTests {
    private static let start = Timestamp(milliseconds: GuardedService.start)

    private func trail(most: Int = Limits.auditCalls) -> AuditTrail {
        let trail = AuditTrail(mostCalls: most)
        trail.configure(days: 1, everyCall: true)
        return trail
    }

    private func row(_ number: Int) -> AuditRow {
        var row = AuditTrail.row(.call, nil, "/List", from: "[::1]:5")
        row.userID = "user\(number)"
        return row
    }

    private func fill(_ calls: AuditedCalls, _ count: Int) throws(RPCError) {
        for number in 0..<count {
            try calls.enter()
            calls.note(row(number), app: 7, at: Self.start)
        }
    }

    private func isFull(_ calls: AuditedCalls) -> Bool {
        do throws(RPCError) {
            try calls.enter()
            calls.release()
            return false
        } catch {
            return error.code == .resourceExhausted
                && error.reason == UInt16(ErrorReason.overloaded.rawValue)
        }
    }

    // MARK: The places

    @Test func aCallWithoutASlotIsRefused() throws {
        let calls = trail().calls
        try fill(calls, Limits.auditCalls - 1)
        #expect(!isFull(calls))
        try calls.enter()
        #expect(isFull(calls))
        calls.release()
        #expect(!isFull(calls))
        #expect(
            calls.reading
                == AuditedCalls.Reading(
                    taken: Limits.auditCalls - 1, most: Limits.auditCalls, refused: 1))
        #expect(AuditTrail().calls.reading == nil)
    }

    @Test func recordsKeepTheirSlotsUntilTheyAreStored() throws {
        let calls = trail(most: 3).calls
        try fill(calls, 3)
        #expect(isFull(calls))
        let taken = calls.take()
        #expect(taken[7]?.count == 3 && isFull(calls), "the committer has them")
        calls.requeue(taken)
        #expect(isFull(calls), "they could not be stored")
        let again = calls.take()
        #expect(Set(again[7]?.map(\.userID) ?? []) == ["user0", "user1", "user2"])
        calls.stored(again)
        #expect(!isFull(calls) && calls.take().isEmpty)
    }

    @Test func aFailureTakesASlotOnlyIfThereIsOne() throws {
        let calls = trail(most: 1).calls
        calls.noteFailure(row(1), app: 7, at: Self.start)
        calls.noteFailure(row(2), app: 7, at: Self.start)
        #expect(calls.take()[7]?.map(\.userID) == ["user1"])
    }

    @Test func aCommitTakesAFew() throws {
        let calls = trail().calls
        try fill(calls, Limits.auditCallsPerCommit + 1)
        #expect(calls.take()[7]?.count == Limits.auditCallsPerCommit)
        #expect(calls.take()[7]?.count == 1)
    }

    @Test func aCommitIsAskedForOnceWhenHalfOfTheSlotsAreTaken() throws {
        let calls = trail(most: 4).calls
        let asked = Atomic(0)
        calls.whenHalfFull { asked.add(1, ordering: .relaxed) }
        try fill(calls, 1)
        #expect(asked.load(ordering: .relaxed) == 0)
        try fill(calls, 3)
        #expect(asked.load(ordering: .relaxed) == 1)
        calls.stored(calls.take())
        try fill(calls, 2)
        #expect(asked.load(ordering: .relaxed) == 2)
    }

    @Test func callsThatDifferInTheirTimeAloneAreOneRecord() throws {
        let calls = trail().calls
        for milliseconds in [3, 9, 5] {
            try calls.enter()
            let now = Self.start.advanced(byMilliseconds: Int64(milliseconds))
            calls.note(row(1), app: 7, at: now)
        }
        let rows = try #require(calls.take()[7])
        #expect(rows.map(\.count) == [3] && rows[0].timeMs == GuardedService.start + 9)
        #expect(rows[0].userDigest == AuditChain.digest(ofUser: "user1", rows[0].userSalt))
    }

    @Test func aUserAndARequestIDHaveDigestsWithBytesOfTheirOwn() {
        var row = row(1)
        row.requestID = "r1"
        let sealed = trail().sealed(row)
        let salt = Array(sealed.requestDigest.dropFirst(Limits.auditDigestBytes))
        #expect(salt.count == Limits.auditSaltBytes && salt != sealed.userSalt)
        #expect(sealed.requestDigest == AuditChain.digest(ofRequest: "r1", salt))
        row.requestID = ""
        #expect(trail().sealed(row).requestDigest.isEmpty)
    }

    @Test func withoutDaysNoCallIsRecorded() {
        let trail = AuditTrail()
        trail.configure(days: 0, everyCall: true)
        #expect(!trail.calls.isOn)
        trail.configure(days: 1)
        #expect(trail.isOn && !trail.calls.isOn)
    }

    // MARK: A server

    @Test func aReadOfAnAdministratorIsRecordedAndNoneOfAUser() async throws {
        try await GuardedService.run { (service) async throws in
            let key = try service.key()
            try service.rotate("secret", oldValidUntilMs: 0)
            let user = try service.signature("secret", seconds: 60)
            let calls = service.apps.audit.calls
            service.apps.audit.configure(days: 30)
            #expect(try await service.call(key) == "OK")
            #expect(calls.take().isEmpty)
            service.apps.audit.configure(days: 30, everyCall: true)
            #expect(try await service.call(key) == "OK")
            #expect(try await service.call(key) == "OK")
            #expect(try await service.call(user: user) == "OK")
            #expect(try await service.call("none") == "CREDENTIAL_INVALID")
            #expect(try service.audit() == [], "a read waits for no commit")
            let taken = calls.take()
            let rows = try #require(taken[Authenticator.defaultApp])
            #expect(taken.count == 1 && rows.count == 1)
            #expect(rows[0].kind == .call && rows[0].code == 0 && rows[0].count == 2)
            #expect(rows[0].method == "relation.v1.AppService/ListCredentials")
            #expect(rows[0].caller == "key:\(service.name(of: key))" && !rows[0].applied)
            #expect(rows[0].address == "loopback" && rows[0].userID.isEmpty)
        }
    }

    @Test func noAnswerGoesOutWithoutASlot() async throws {
        try await GuardedService.run { (service) async throws in
            let key = try service.key()
            service.apps.audit.configure(days: 30, everyCall: true)
            let calls = service.apps.audit.calls
            for _ in 0..<Limits.auditCalls { try calls.enter() }
            #expect(try await service.call(key) == "OVERLOADED")
            // A write has its record in its own transaction.
            #expect(try await service.write(key) == "OK")
            #expect(try service.audit().count == 1)
            calls.release()
            #expect(try await service.call(key) == "OK")
            #expect(try await service.call(key) == "OVERLOADED")
        }
    }

    @Test func aReadThatIsRefusedIsARefusalAndReleasesItsSlot() async throws {
        try await GuardedService.run { (service) async throws in
            let key = try service.key(scopes: [.read])
            service.apps.audit.configure(days: 30, everyCall: true)
            #expect(try await service.call(key) == "SCOPE_MISSING")
            let calls = service.apps.audit.calls
            #expect(calls.take().isEmpty)
            for _ in 0..<Limits.auditCalls { try calls.enter() }
            #expect(isFull(calls))
            let refused = service.apps.audit.take(at: Self.start, all: true)
            #expect(refused[Authenticator.defaultApp]?.map(\.reason) == ["SCOPE_MISSING"])
        }
    }
}
