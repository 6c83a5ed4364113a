import RPC
import RelationAccess
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationService

/// The ends of users' sessions as the authenticator sees them: signatures from before are refused.
struct SessionTests {
    private static let start = GuardedService.start
    private static let revoked = "SESSION_REVOKED"

    @Test func signaturesFromBeforeAreRefusedAndLaterOnesAreGood() async throws {
        try await GuardedService.run { (service) async throws in
            try service.rotate("secret", oldValidUntilMs: 0)
            let old = try service.signature("secret", seconds: 1_000)
            let others = try service.signature("secret", seconds: 1_000, user: "bob")
            let new = try service.signature("secret", seconds: 1_000, after: 1)
            for _ in 0..<3 { #expect(try await service.call(user: old) == "OK") }
            #expect(try await service.whoAsks(others) == "bob")
            try service.end("ann", before: Self.start + 1)
            for _ in 0..<3 { #expect(try await service.call(user: old) == Self.revoked) }
            #expect(try await service.whoAsks(others) == "bob")
            #expect(try await service.call(user: new) == "OK")
        }
    }

    @Test func aSignatureOfTheSameSecondIsRefusedUnlessTheSecondBeginsThen() async throws {
        try await GuardedService.run { (service) async throws in
            try service.rotate("secret", oldValidUntilMs: 0)
            let token = try service.signature("secret", seconds: 1_000, after: 2)
            service.set(Self.start + 2_500)
            try service.end("ann", before: Self.start + 2_000)
            #expect(try await service.call(user: token) == "OK")
            try service.end("ann", before: Self.start + 2_001)
            #expect(try await service.call(user: token) == Self.revoked)
        }
    }

    @Test func aForgedOrExpiredSignatureLearnsNothingOfTheEnd() async throws {
        try await GuardedService.run { (service) async throws in
            try service.rotate("secret", oldValidUntilMs: 0)
            try service.end("ann", before: Self.start + 9_000)
            let forged = try service.signature("other", seconds: 1_000)
            #expect(try await service.call(user: forged) == "CREDENTIAL_INVALID")
            let short = try service.signature("secret", seconds: 1)
            service.set(Self.start + 2_000)
            #expect(try await service.call(user: short) == "CREDENTIAL_EXPIRED")
        }
    }

    @Test func anOpenStreamEndsWithTheSession() async throws {
        try await GuardedService.run { (service) async throws in
            try service.rotate("secret", oldValidUntilMs: 0)
            let ann = try await service.caller(
                "UserSig \(try service.signature("secret", seconds: 1_000))")
            let bob = try await service.caller(
                "UserSig \(try service.signature("secret", seconds: 1_000, user: "bob"))")
            var seen: (UInt64, UInt64) = (0, 0)
            try service.authenticator.reauthorise(ann, since: &seen.0)
            try service.authenticator.reauthorise(bob, since: &seen.1)
            #expect(service.authenticator.isUnchanged(since: seen.0, until: ann.expiresMs))
            try service.end("ann", before: Self.start + 1)
            #expect(!service.authenticator.isUnchanged(since: seen.0, until: ann.expiresMs))
            let refusal = #expect(throws: RPCError.self) {
                try service.authenticator.reauthorise(ann, since: &seen.0)
            }
            #expect(try refusal?.unpacked().reason == Self.revoked)
            try service.authenticator.reauthorise(bob, since: &seen.1)
        }
    }

    @Test func oneMoreThanAreKeptEndsTheOldSignaturesOfAll() async throws {
        try await GuardedService.run { (service) async throws in
            try service.rotate("secret", oldValidUntilMs: 0)
            let early = try service.signature("secret", seconds: 1_000, user: "zoe")
            let late = try service.signature("secret", seconds: 1_000, after: 1, user: "zoe")
            for (number, user) in ["ann", "bob", "cid"].enumerated() {
                try service.end(user, before: Self.start + Int64(number + 1) * 10, limit: 3)
            }
            #expect(try await service.whoAsks(early) == "zoe")
            try service.end("dan", before: Self.start + 40, limit: 3)
            #expect(try await service.call(user: early) == Self.revoked)
            #expect(try await service.whoAsks(late) == "zoe")
            let ann = try service.signature("secret", seconds: 1_000)
            #expect(try await service.call(user: ann) == Self.revoked)
        }
    }

    @Test func anEndThatWasNotCommittedEndsNothing() async throws {
        try await GuardedService.run { (service) async throws in
            try service.rotate("secret", oldValidUntilMs: 0)
            let token = try service.signature("secret", seconds: 1_000)
            var change = SessionChange(app: Authenticator.defaultApp)
            change.ends = [(UserID(stored: "ann".utf8), .max)]
            service.apps.stage(change)
            service.apps.discard()
            service.apps.publish()
            #expect(try await service.call(user: token) == "OK")
        }
    }
}

/// The ends that others committed, as a server takes them beside its own.
struct SharedSessionTests {
    private static let ann = UserID(stored: "ann".utf8)
    private static let bob = UserID(stored: "bob".utf8)

    private static func read(
        _ ends: [(user: UserID, beforeMs: Int64)], last: Int64, isWhole: Bool = true
    ) -> AppSessions {
        var sessions = AppSessions()
        sessions.history = 1
        sessions.last = last
        sessions.isWhole = isWhole
        sessions.ends = ends
        return sessions
    }

    private static func credentials(_ sessions: AppSessions) -> [AppCredentials] {
        [AppCredentials(app: 1, secrets: [], credentials: [], sessions: sessions)]
    }

    private static func change(_ user: UserID, _ beforeMs: Int64) -> SessionChange {
        var change = SessionChange(app: 1)
        change.ends = [(user, beforeMs)]
        return change
    }

    private static let app = App(id: 1, settings: .tim)

    @Test func aVersionBetweenIsStillToBeRead() {
        let apps = Apps([Self.app], Self.credentials(Self.read([], last: 0)), version: 4)
        apps.stage(Self.change(Self.ann, 10))
        // Another server has committed version 5.
        apps.publish(version: 6)
        #expect(apps.version == 4)
        // A state that lacks the change of this server is not taken.
        let behind = Self.credentials(Self.read([(Self.bob, 20)], last: 1))
        apps.replace([Self.app], behind, registry: .registry, version: 5)
        #expect(apps.version == 4)
        let both = Self.read([(Self.bob, 20), (Self.ann, 10)], last: 2, isWhole: false)
        apps.replace([Self.app], Self.credentials(both), registry: .registry, version: 6)
        #expect(apps.version == 6)
        let sessions = apps.keyring(of: 1)?.sessions
        #expect(sessions?.refuses(Self.bob, issuedMs: 19) == true)
        #expect(sessions?.refuses(Self.ann, issuedMs: 9) == true)
        #expect(sessions?.refuses(Self.ann, issuedMs: 10) == false)
        #expect(sessions?.last == 2)
        // The next one of this server follows at once.
        apps.stage(Self.change(Self.ann, 11))
        apps.publish(version: 7)
        #expect(apps.version == 7)
    }

    /// A commit may be confirmed after a later version was read, which has it and what followed.
    @Test func aCommitThatIsConfirmedLateTakesNothingBack() {
        let read = Self.credentials(Self.read([], last: 0))
        for isDeleted in [false, true] {
            let apps = Apps([Self.app], read, version: 6)
            var settings = AppSettings.tim
            settings.limits.friends = 1
            apps.stage(AppChange(App(id: 1, settings: settings)))
            apps.stage(Self.change(Self.ann, 10))
            let own = apps.takeStaged()
            // Another server has changed the app back by version 8, or deleted it.
            apps.replace(
                isDeleted ? [] : [Self.app], isDeleted ? [] : read, registry: .registry, version: 8)
            apps.publish(own, version: 7)
            #expect(apps.version == 8)
            #expect(apps[1]?.settings.limits.friends == (isDeleted ? nil : 3_000))
            let sessions = apps.keyring(of: 1)?.sessions
            #expect(sessions?.refuses(Self.ann, issuedMs: 9) == (isDeleted ? nil : true))
        }
    }

    @Test func anEndOfThisServerLeavesEarlierNumbersToBeRead() {
        let sessions = EndedSessions(Self.read([], last: 3))
        sessions.add(Self.change(Self.ann, 10))
        #expect(sessions.last == 3)
        #expect(sessions.refuses(Self.ann, issuedMs: 9))
    }

    @Test func aMomentNeverFallsAndUsersBelowTheFloorAreNotKept() {
        let sessions = EndedSessions(Self.read([(Self.ann, 30), (Self.bob, 10)], last: 2))
        sessions.add(Self.read([(Self.ann, 20)], last: 3, isWhole: false))
        #expect(sessions.refuses(Self.ann, issuedMs: 29))
        var floor = Self.read([], last: 4, isWhole: false)
        floor.floorMs = 15
        sessions.add(floor)
        #expect(sessions.count == 1)
        #expect(sessions.refuses(Self.bob, issuedMs: 14) && sessions.refuses("eve", issuedMs: 14))
        #expect(!sessions.refuses(Self.bob, issuedMs: 15))
    }

    @Test func anAppThatWasMadeAnewBeginsWithoutEnds() {
        let apps = Apps(
            [Self.app], Self.credentials(Self.read([(Self.ann, 30)], last: 1)), version: 1)
        var anew = Self.read([], last: 0)
        anew.history = 2
        apps.replace([Self.app], Self.credentials(anew), registry: .registry, version: 2)
        #expect(apps.keyring(of: 1)?.sessions.refuses(Self.ann, issuedMs: 1) == false)
    }
}
