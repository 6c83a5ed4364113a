import RPC
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationAdmission
@testable import RelationCore

/// Open streams in a database of a fleet, while its home is away.
@Suite struct BesideHomeTests {
    private final class Clock: Sendable {
        private let milliseconds = Atomic<UInt64>(1_000)

        var now: UInt64 { milliseconds.load(ordering: .relaxed) * 1_000_000 }

        func lapse() {
            milliseconds.add(UInt64(LeaseLimits.reliedMilliseconds), ordering: .relaxed)
        }
    }

    private let clock = Clock()
    private let lease: Lease
    private let home: Apps
    private let apps: Apps
    private let authenticator: Authenticator

    init() {
        lease = Lease { [clock] in clock.now }
        let key = (id: CredentialID("key"), record: CredentialRecord())
        home = Apps(
            [], [AppCredentials(app: App.registry.id, secrets: [], credentials: [key])],
            lease: lease)
        apps = Apps(
            [App(id: 7, settings: .tim)],
            [AppCredentials(app: 7, secrets: [], credentials: [key])])
        authenticator = .guarded(apps, besides: home, loops: 1)
        renew()
    }

    private func renew() {
        // The first renewal after a gap does not count.
        for _ in 0..<2 { lease.renewed(from: lease.now, tenure: 1) }
    }

    private func caller(isOperator: Bool) throws -> Caller {
        let app = try #require(apps[7])
        let keyring = isOperator ? home.keyring(of: App.registry.id) : apps.keyring(of: 7)
        let key = try #require(keyring?.key(named: "key"))
        return Caller(app: app, credential: isOperator ? .operatorKey(key) : .key(7, key))
    }

    /// The code with which a stream ends that is checked now; nil if it goes on.
    private func end(_ caller: Caller, _ generation: inout UInt64) -> Status.Code? {
        guard !authenticator.isUnchanged(since: generation, until: caller.expiresMs) else {
            return nil
        }
        do throws(RPCError) {
            try authenticator.reauthorise(caller, since: &generation)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aStreamOfAnOperatorGoesOnOnlyWhileHomeIsThere() throws {
        let caller = try caller(isOperator: true)
        var generation: UInt64 = 0
        #expect(end(caller, &generation) == nil)
        #expect(authenticator.isUnchanged(since: generation, until: .max))
        clock.lapse()
        #expect(end(caller, &generation) == .unavailable)
        renew()
        #expect(end(caller, &generation) == nil)
    }

    @Test func aStreamOfAnAppGoesOnWithoutHome() throws {
        let caller = try caller(isOperator: false)
        var generation: UInt64 = 0
        #expect(end(caller, &generation) == nil)
        clock.lapse()
        #expect(end(caller, &generation) == nil)
    }
}
