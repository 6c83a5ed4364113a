import RelationCore
import RelationModel
import Testing

@testable import RelationAdmission
@testable import RelationService

/// The calls that a server records in the audit of their app.
struct AuditCallTests {
    private static let start = Timestamp(milliseconds: GuardedService.start)

    @Test func aWriteIsRecordedWithItsCallerAndNotWithoutAnAudit() async throws {
        try await GuardedService.run { (service) async throws in
            let key = try service.key()
            #expect(try await service.write(key) == "OK")
            #expect(try service.audit() == [])
            service.apps.audit.configure(days: 30)
            #expect(try await service.write(key) == "OK")
            #expect(try await service.call(key) == "OK")
            let row = try #require(try service.audit().first)
            #expect(try service.audit().count == 1, "a read is not a record")
            #expect(row.sequence == 1 && row.kind == .call && row.code == 0)
            #expect(row.method == "relation.v1.AppService/CreateCredential")
            #expect(row.caller == "key:\(service.name(of: key))")
            #expect(row.applied && row.address == "loopback" && row.count == 1)
            #expect(row.timeMs == GuardedService.start)
            #expect(row.userID.isEmpty && row.userDigest.isEmpty && row.userSalt.isEmpty)
            #expect(row.previousHash == AuditChain.noHash)
            #expect(row.hash == AuditChain.hash(of: row, after: AuditChain.noHash))
        }
    }

    @Test func refusalsAreCountedByAppCallerAndReason() async throws {
        try await GuardedService.run { (service) async throws in
            service.apps.audit.configure(days: 30)
            try service.rotate("secret", oldValidUntilMs: 0)
            let user = try service.signature("secret", seconds: 60)
            let key = try service.key(expiresMs: GuardedService.start - 1)
            for _ in 0..<3 {
                #expect(try await service.write(user: user) == "SCOPE_MISSING")
                #expect(try await service.call(key) == "CREDENTIAL_EXPIRED")
            }
            // No app is known of these.
            #expect(try await service.call("none") == "CREDENTIAL_INVALID")
            #expect(try await service.call("77.key1.secret") == "CREDENTIAL_INVALID")
            let trail = service.apps.audit
            #expect(trail.take(at: Self.start).isEmpty, "they are counted for a while")
            let taken = trail.take(at: Self.start, all: true)
            let rows = try #require(taken[Authenticator.defaultApp])
            #expect(taken.count == 1 && rows.count == 2)
            let denied = try #require(rows.first { $0.code == 7 })
            #expect(denied.kind == .refusal && denied.count == 3)
            #expect(denied.reason == "SCOPE_MISSING" && denied.caller == "user")
            #expect(denied.userID == "ann" && !denied.userSalt.isEmpty)
            #expect(denied.userDigest == AuditChain.digest(ofUser: "ann", denied.userSalt))
            let unknown = try #require(rows.first { $0.code == 16 })
            #expect(unknown.reason == "CREDENTIAL_EXPIRED" && unknown.count == 3)
            #expect(unknown.caller.isEmpty && unknown.userID.isEmpty)
            #expect(trail.take(at: Self.start, all: true).isEmpty)
        }
    }

    // MARK: What waits

    private func refusal(_ method: String) -> AuditRow {
        var row = AuditTrail.row(.refusal, nil, "/\(method)", from: "10.0.0.1:5")
        row.code = 7
        return row
    }

    @Test func aFloodOfRefusalsIsAFewRecordsAMinute() throws {
        let trail = AuditTrail()
        trail.configure(days: 1)
        for number in 0..<1_000 { trail.note(refusal("m\(number)"), app: 7, at: Self.start) }
        trail.note(refusal("other"), app: 8, at: Self.start)
        let wait = Limits.auditRefusalMilliseconds
        #expect(trail.take(at: Self.start.advanced(byMilliseconds: wait - 1)).isEmpty)
        let taken = trail.take(at: Self.start.advanced(byMilliseconds: wait))
        let rows = try #require(taken[7])
        #expect(rows.count == Limits.auditRefusalKinds + 1)
        #expect(rows.map(\.count).reduce(0, +) == 1_000)
        let together = try #require(rows.first { $0.method.isEmpty })
        #expect(together.count == Int64(1_000 - Limits.auditRefusalKinds))
        #expect(taken[8]?.count == 1)
        // Refusals that could not be stored are counted again.
        trail.requeue(taken)
        let again = try #require(trail.take(at: Self.start, all: true)[7])
        #expect(again.map(\.count).reduce(0, +) == 1_000)
    }

    @Test func manyAppsHaveOneBoundTogether() {
        let trail = AuditTrail()
        trail.configure(days: 1)
        for app in 0..<UInt32(2 * Limits.auditWaiting) {
            trail.note(refusal("m"), app: 1 + app, at: Self.start)
            trail.note(refusal("n"), app: 1 + app, at: Self.start)
        }
        let rows = trail.take(at: Self.start, all: true).values.joined()
        #expect(rows.map(\.count).reduce(0, +) == Int64(4 * Limits.auditWaiting))
        // Beyond the bound each app has one record for each code.
        #expect(rows.count <= 3 * Limits.auditWaiting)
    }

    @Test func callsWithoutAWriteGoAtOnceAndRefusalsStay() {
        let trail = AuditTrail()
        trail.configure(days: 1)
        trail.note(refusal("m"), app: 7, at: Self.start)
        let call = AuditTrail.row(.call, nil, "/Export", from: "[::1]:5")
        trail.note(call, app: 7, at: Self.start)
        #expect(trail.take(at: Self.start)[7]?.map(\.method) == ["Export"])
        #expect(trail.take(at: Self.start).isEmpty)
        #expect(trail.take(at: Self.start, all: true)[7]?.map(\.method) == ["m"])
    }

    @Test(arguments: [
        ("127.0.0.1:80", "loopback"), ("[::1]:80", "loopback"), ("unix:/run/x", "socket"),
        ("unix", "socket"), ("10.1.2.3:80", "private"), ("172.16.0.1:80", "private"),
        ("172.32.0.1:80", "public"), ("192.168.9.9:80", "private"), ("8.8.8.8:443", "public"),
        ("[fd00::1]:80", "private"), ("[fe80::1]:80", "private"), ("[2001:db8::1]:80", "public"),
        ("[::ffff:10.0.0.1]:80", "private"), ("unknown", ""), ("", ""),
    ])
    func onlyTheNetworkOfAnAddressIsKept(_ peer: String, _ place: String) {
        #expect(PeerNetwork.name(of: peer) == place)
    }
}
