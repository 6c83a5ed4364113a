import Compression
import GRPC
import Memory
import Protobuf
import RPC
import RelationAccess
import RelationCalls
import RelationCore
import RelationModel
import Synchronization

/// How often apps and their callers may call; nil means no bound.
package struct CallRates: Sendable {
    package var app: Rate? = AdmissionLimits.callsPerApp
    package var key: Rate? = AdmissionLimits.callsPerKey
    package var user: Rate? = AdmissionLimits.callsPerUser

    package init() {}
}

/// How much apps and their callers may hold at once; nil means no bound.
package struct HoldBounds: Sendable {
    /// One number for each kind of caller.
    package struct Numbers: Sendable {
        package var app: Int?
        package var key: Int?
        package var user: Int?

        package init(app: Int?, key: Int?, user: Int?) {
            self.app = app
            self.key = key
            self.user = user
        }
    }

    /// Calls that are open: streams, and calls that wait for another thread.
    package var calls = Numbers(
        app: AdmissionLimits.openCallsPerApp, key: AdmissionLimits.openCallsPerKey,
        user: AdmissionLimits.openCallsPerUser)
    /// Connections on which a caller has shown its credential.
    package var connections = Numbers(
        app: AdmissionLimits.connectionsPerApp, key: AdmissionLimits.connectionsPerKey,
        user: AdmissionLimits.connectionsPerUser)

    package init() {}
}

/// All limits of callers.
struct CallerLimits {
    var rates: CallRates
    var bounds: HoldBounds

    /// These limits, where those of an app are not lower.
    func lowered(by app: AppBounds) -> CallerLimits {
        guard app != AppBounds() else { return self }
        var lower = self
        lower.rates.app = rates.app.lowered(to: app.rate, like: AdmissionLimits.callsPerApp)
        lower.rates.key = rates.key.lowered(to: app.keyRate, like: AdmissionLimits.callsPerKey)
        lower.rates.user = rates.user.lowered(to: app.userRate, like: AdmissionLimits.callsPerUser)
        lower.bounds.calls = bounds.calls.lowered(
            app: app.openCalls, key: app.keyOpenCalls, user: app.userOpenCalls)
        lower.bounds.connections = bounds.connections.lowered(
            app: app.connections, key: app.keyConnections, user: app.userConnections)
        return lower
    }
}

extension Rate? {
    /// The lower one of this rate and of an app's; 0 is not a rate of the app.
    ///
    /// - Parameter usual: The app's burst lasts as many seconds as that of this rate.
    fileprivate func lowered(to perSecond: Int, like usual: Rate) -> Rate? {
        guard perSecond > 0, perSecond < self?.perSecond ?? .max else { return self }
        let burst = perSecond * usual.burst / usual.perSecond
        return Rate(perSecond: perSecond, burst: Swift.min(burst, self?.burst ?? burst))
    }
}

extension HoldBounds.Numbers {
    /// The lower ones of these numbers and of an app's; 0 is not a number of the app.
    fileprivate func lowered(app: Int, key: Int, user: Int) -> Self {
        func lower(_ own: Int?, _ other: Int) -> Int? {
            other == 0 ? own : Swift.min(own ?? other, other)
        }
        return Self(
            app: lower(self.app, app), key: lower(self.key, key), user: lower(self.user, user))
    }

    /// The bounds of a caller, which is one user or a backend.
    func bounds(isUser: Bool) -> Usage.Bounds {
        Usage.Bounds(own: isUser ? user : key, group: app)
    }
}

/// The authenticator of a server that asks for credentials.
///
/// A loop that has recognised a credential finds it again by its bytes, until any app or credential
/// changes. So the same credential costs one comparison a call. A revoked credential stops working
/// when its revocation is answered.
final class CredentialAuthenticator: Sendable {
    /// The name of the metadata that carries a key or a user's signature.
    static let credentialHeader: StaticString = "authorization"
    /// The name of the metadata that names the app.
    static let appHeader: StaticString = "x-app-id"

    private let apps: Apps
    /// The apps of the home of a fleet, where the operators' keys stand; otherwise the same.
    private let operators: Apps
    /// A principal keeps those under which it was recognised.
    private let limits: Mutex<CallerLimits>
    private let clock: ServiceClock
    private let users = TokenBuckets()
    private let usages = UserUsages()
    /// The key of the principal that a header block shows.
    private let principalKey = SlotKey<CachedPrincipal>()
    /// One for each loop.
    private let recognisedByLoop: [RecognisedCallers]

    /// - Parameter operators: The apps of the home of a fleet, if these are not of the home.
    init(
        _ apps: Apps, loops: Int, _ rates: CallRates, _ bounds: HoldBounds, _ clock: ServiceClock,
        operators: Apps? = nil
    ) {
        self.apps = apps
        self.operators = operators ?? apps
        operators?.leads(apps)
        limits = Mutex(CallerLimits(rates: rates, bounds: bounds))
        self.clock = clock
        recognisedByLoop = (0..<loops).map { _ in RecognisedCallers() }
    }

    /// Takes other limits: every caller is recognised again, and gets those.
    func apply(_ rates: CallRates, _ bounds: HoldBounds) {
        limits.withLock { $0 = CallerLimits(rates: rates, bounds: bounds) }
        apps.renew()
    }

    func admit(_ call: ServerCall, needing scope: Scope) throws(RPCError) -> Caller {
        // Read before any lookup: a change in the meantime makes the finding void.
        let generation = apps.generation
        let principal: CachedPrincipal
        if let known = known(call, generation) {
            principal = known
        } else {
            principal = try check(call, generation)
        }
        // Before it is counted: an app sees the calls for which it had no room.
        call.group = principal.group
        // A call that was admitted by its header block has been counted already.
        if !call.isAdmitted { try count(principal, call) }
        guard principal.scopes.contains(ScopeSet(scope)) else {
            throw .missing(scope, among: principal.scopes)
        }
        if let caller = principal.caller, scope != .operator { return caller }
        return try callerWithoutApp(principal, scope)
    }

    /// The principal that the header block of the call showed when it came before.
    private func known(_ call: ServerCall, _ generation: UInt64) -> CachedPrincipal? {
        guard let principal = call.headerSlot[principalKey], principal.generation == generation,
            isInTime(principal)
        else { return nil }
        return principal
    }

    var now: Timestamp { clock.now() }

    /// The caller of the call, whatever it may do; nil if its credential is not good.
    func known(_ call: ServerCall) -> Caller? {
        let generation = apps.generation
        // The first call with a header block keeps nothing in its slots.
        guard let principal = known(call, generation) ?? (try? check(call, generation)) else {
            return nil
        }
        return principal.caller
            ?? Caller(
                app: apps.registry, scopes: principal.scopes, credential: principal.credential)
    }

    /// The app of the credential that the call shows, whether or not it is good; nil if it shows
    /// none.
    func claimedApp(_ call: ServerCall) -> UInt32? {
        guard let shown = try? PresentedCredential(call) else { return nil }
        return Self.claimedApp(shown, recognisedByLoop[call.loopIndex].inflater)
    }

    private static func claimedApp(
        _ shown: PresentedCredential, _ inflater: Inflater
    ) -> UInt32? {
        switch shown.kind {
        case .key: (try? APIKey(reading: shown.bytes))?.appID ?? shown.namedApp
        case .signature, .administrator:
            (try? UserSig(reading: shown.bytes, inflater))?.appID ?? shown.namedApp
        case .certificate: shown.namedApp
        }
    }

    /// Checks the credential that the call sends.
    private func check(_ call: ServerCall, _ generation: UInt64) throws(RPCError) -> CachedPrincipal
    {
        let recognised = recognisedByLoop[call.loopIndex]
        let shown = try PresentedCredential(call)
        let principal: CachedPrincipal
        if let known = recognised.known(shown, generation), isInTime(known) {
            principal = known
        } else {
            principal = try recognise(shown, generation, recognised.inflater)
            recognised.insert(principal)
        }
        call.headerSlot[principalKey] = principal
        return principal
    }

    /// The caller for an operator that names no app, or an app that does not exist.
    private func callerWithoutApp(_ principal: CachedPrincipal, _ scope: Scope) throws(RPCError)
        -> Caller
    {
        if scope == .operator || scope == .unspecified {
            return Caller(
                app: apps.registry, scopes: principal.scopes, credential: principal.credential)
        }
        guard let app = principal.namedApp else {
            var violations = Violations()
            violations.add("\(Self.appHeader)", "must name the app that an operator acts in")
            throw violations.error
        }
        throw apps.missing(app)
    }

    private func isInTime(_ principal: CachedPrincipal) -> Bool {
        principal.expiresMs == .max || clock.now().milliseconds <= principal.expiresMs
    }

    // MARK: Rates

    private func count(_ principal: CachedPrincipal, _ call: ServerCall) throws(RPCError) {
        do throws(RPCError) {
            if !call.isRequestCounted {
                try throttle(principal, at: call.arrival)
                call.rateIsCounted()
            }
        } catch {
            call.logViolation("too_many_calls")
            throw error
        }
        // The principal keeps this too.
        if let use = principal.use.map(Unmanaged.passUnretained) {
            use._withUnsafeGuaranteedRef { $0.note(call.arrival, by: clock) }
        }
        guard let id = principal.usageID, !call.isConnection(of: id), let usage = principal.usage
        else {
            return
        }
        try countConnection(of: principal, usage, call)
    }

    private func throttle(_ principal: CachedPrincipal, at now: Int64) throws(RPCError) {
        // The buckets belong to all loops. The principal keeps them, so that no call retains them:
        // processors that count references in one place wait for each other.
        if let rate = principal.rate, let calls = principal.calls.map(Unmanaged.passUnretained) {
            let wait = calls._withUnsafeGuaranteedRef { $0.consume(rate, at: now) }
            guard wait == 0 else { throw .throttled(rate, nanoseconds: wait) }
        }
        // The principal keeps this bucket too.
        if let rate = principal.appRate,
            let calls = principal.appCalls.map(Unmanaged.passUnretained)
        {
            let wait = calls._withUnsafeGuaranteedRef { $0.consume(rate, at: now) }
            guard wait == 0 else {
                // A caller pays nothing for a call that its app had no room for.
                if let rate = principal.rate { principal.calls?.refund(rate) }
                throw .throttled(rate, nanoseconds: wait)
            }
        }
    }

    // MARK: Open calls and connections

    /// Counts the connection of a call for its caller, at the first call of that caller on it.
    private func countConnection(
        of principal: CachedPrincipal, _ usage: Usage, _ call: ServerCall
    ) throws(RPCError) {
        let bounds = principal.connections
        guard let bound = call.countConnection(of: usage, within: bounds) else { return }
        call.logViolation("too_many_connections_of_caller")
        throw .tooManyConnections(bound)
    }

    /// Counts a call that lasts for its caller, until the call has ended.
    ///
    /// A read that its loop answers is not counted. It ends before the next frame of its connection
    /// is looked at, so it is never open beside another call.
    func enter(_ call: ServerCall, of caller: Caller) throws(RPCError) {
        guard let usage = caller.credential?.usage else { return }
        guard let bound = call.enter(usage, within: caller.openCalls) else { return }
        call.logViolation("too_many_open_calls")
        throw .tooManyOpenCalls(bound)
    }

    // MARK: Authentication

    private func recognise(
        _ shown: PresentedCredential, _ generation: UInt64, _ inflater: Inflater
    ) throws(RPCError) -> CachedPrincipal {
        let now = clock.now()
        var finding = Finding(limits: limits.withLock { $0 })
        do throws(CredentialError) {
            switch shown.kind {
            case .key: try admitKey(shown, now, &finding)
            case .signature: try admitUser(shown, now, inflater, &finding)
            case .administrator: try admitAdministrator(shown, now, inflater, &finding)
            case .certificate:
                guard let app = shown.namedApp else { throw .invalid }
                let keyring = apps.keyring(of: app)
                let key = keyring?.certificate(Array(shown.bytes))
                try admit(key, of: app, keyring, now, &finding)
            }
        } catch {
            // The credentials of an app go with it.
            if let app = Self.claimedApp(shown, inflater), apps.isAway(app) {
                throw .appMoving(app)
            }
            throw shown.isCertificateWithoutApp ? .appNotNamed : RPCError(error)
        }
        if let named = shown.namedApp, !finding.isOperator, finding.app?.id != named {
            throw .foreignApp
        }
        finding.group = finding.app.map(apps.group(of:)) ?? 0
        return CachedPrincipal(shown, generation, finding)
    }

    private func admitKey(
        _ shown: PresentedCredential, _ now: Timestamp, _ finding: inout Finding
    ) throws(CredentialError) {
        let text = try APIKey(reading: shown.bytes)
        let isOperator = text.appID == App.registry.id
        let keyring = (isOperator ? operators : apps).keyring(of: text.appID)
        let key = keyring?.key(named: text.name)
        guard let key, text.matches(key.record.digest) else { throw .invalid }
        guard !isOperator else {
            return try admitOperator(key, shown.namedApp, now, &finding)
        }
        try admit(key, of: text.appID, keyring, now, &finding)
    }

    private func admitOperator(
        _ key: AppKey, _ app: UInt32?, _ now: Timestamp, _ finding: inout Finding
    ) throws(CredentialError) {
        finding.isOperator = true
        finding.namedApp = app
        finding.credential = .operatorKey(key)
        finding.use = key.use
        finding.scopes = .all
        finding.expiresMs = try Self.end(of: key, now)
        // No rate applies: an operator must always reach its server.
        finding.app = app.flatMap { apps[$0] }
    }

    private func admit(
        _ key: AppKey?, of app: UInt32, _ keyring: AppKeyring?, _ now: Timestamp,
        _ finding: inout Finding
    ) throws(CredentialError) {
        guard let key, let keyring, let found = apps[app] else { throw .invalid }
        finding.limits = finding.limits.lowered(by: found.settings.bounds)
        finding.credential = .key(app, key)
        finding.use = key.use
        finding.scopes = key.record.scopes.reduce(into: ScopeSet()) { $0.insert(ScopeSet($1)) }
            .intersection(.service)
        finding.expiresMs = try Self.end(of: key, now)
        (finding.calls, finding.appCalls) = (key.calls, keyring.calls)
        finding.rate = finding.limits.rates.key
        finding.usage = key.usage
        finding.app = found
    }

    private static func end(
        of key: AppKey, _ now: Timestamp
    ) throws(CredentialError) -> Int64 {
        guard key.record.expiresMs != 0 else { return .max }
        guard now.milliseconds <= key.record.expiresMs else { throw .expired }
        return key.record.expiresMs
    }

    private func admitUser(
        _ shown: PresentedCredential, _ now: Timestamp, _ inflater: Inflater,
        _ finding: inout Finding
    ) throws(CredentialError) {
        let claim = try UserSig(reading: shown.bytes, inflater)
        guard let keyring = apps.keyring(of: claim.appID), let app = apps[claim.appID] else {
            throw .invalid
        }
        let secret = keyring.secrets.first { secret in
            now.milliseconds <= secret.validUntilMs ?? .max && claim.isSigned(with: secret.text)
        }
        guard let secret else { throw .invalid }
        try claim.check(at: now)
        guard !keyring.sessions.refuses(claim.user, issuedMs: claim.issuedMs) else {
            throw .revoked
        }
        let usage = usages.usage(of: claim.user, app.id, in: keyring.usage)
        finding.limits = finding.limits.lowered(by: app.settings.bounds)
        finding.credential = .signature(Signature(app.id, secret.text, claim, usage))
        finding.usage = usage
        finding.user = claim.user
        finding.scopes = .user
        finding.expiresMs = min(claim.expiresMs, secret.validUntilMs ?? .max)
        finding.calls = (keyring.users ?? users).bucket(of: claim.user.text, app: app.id)
        (finding.rate, finding.appCalls) = (finding.limits.rates.user, keyring.calls)
        finding.app = app
    }

    /// Admits a signature as that of one of the app's administrators, who acts for every user.
    ///
    /// It calls as often as a backend may: all administrators of an app share one rate.
    private func admitAdministrator(
        _ shown: PresentedCredential, _ now: Timestamp, _ inflater: Inflater,
        _ finding: inout Finding
    ) throws(CredentialError) {
        try admitUser(shown, now, inflater, &finding)
        guard let app = finding.app, let user = finding.user,
            app.settings.isTIMAdministrator(user.text), let keyring = apps.keyring(of: app.id)
        else { throw .invalid }
        finding.user = nil
        finding.scopes = .service
        (finding.calls, finding.rate) = (keyring.administrators, finding.limits.rates.key)
    }

    /// Whether a secret of its app, which is still good, has made the signature.
    func isGenuine(_ claim: UserSig) -> Bool {
        let now = clock.now()
        return apps.keyring(of: claim.appID)?.secrets.contains { secret in
            now.milliseconds <= secret.validUntilMs ?? .max && claim.isSigned(with: secret.text)
        } ?? false
    }

    /// Checks that a genuine signature is good now.
    func check(_ claim: UserSig) throws(CredentialError) {
        try claim.check(at: clock.now())
        let sessions = apps.keyring(of: claim.appID)?.sessions
        if sessions?.refuses(claim.user, issuedMs: claim.issuedMs) == true { throw .revoked }
    }

    // MARK: Checks of open calls

    /// Checks whether the credential of `caller` is still valid.
    func reauthorise(
        _ caller: Caller, since generation: inout UInt64
    ) throws(CredentialError) {
        guard let credential = caller.credential else { throw .invalid }
        guard caller.expiresMs == .max || clock.now().milliseconds <= caller.expiresMs else {
            throw .expired
        }
        // Read before any lookup: a change in the meantime is seen the next time.
        let present = apps.generation &+ 1
        guard present != generation else { return }
        switch credential {
        case .operatorKey(let key): try check(key, of: App.registry.id, in: operators)
        case .key(let app, let key): try check(key, of: app, in: apps)
        case .signature(let signature):
            let keyring = apps.keyring(of: signature.app)
            let secret = keyring?.secrets.first { $0.text.isExactly(signature.secret) }
            guard let keyring, let secret,
                clock.now().milliseconds <= secret.validUntilMs ?? .max
            else { throw .invalid }
            let issuedMs = signature.issuedMs
            guard !keyring.sessions.refuses(signature.user, issuedMs: issuedMs) else {
                throw .revoked
            }
            // A secret that was replaced expires by itself, so it is looked up each time.
            if secret.validUntilMs != nil { return }
        }
        generation = present
    }

    /// Whether a caller that was admitted would be authorised now, without a check of the caller.
    func isUnchanged(since generation: UInt64, until expiresMs: Int64) -> Bool {
        apps.generation &+ 1 == generation
            && (expiresMs == .max || clock.now().milliseconds <= expiresMs)
    }

    private func check(
        _ key: AppKey, of app: UInt32, in apps: Apps
    ) throws(CredentialError) {
        let isThere = apps.keyring(of: app)?.keys.contains { $0 === key }
        guard isThere == true else { throw .invalid }
    }
}

extension Violations {
    /// The number of the app that the metadata names; adds a violation and returns nil if the
    /// metadata is malformed.
    mutating func app(_ text: UnsafeRawBufferPointer) -> UInt32? {
        if let number = AppNumberText.read(text) { return number }
        add("\(CredentialAuthenticator.appHeader)", "must be a number from 0 to \(UInt32.max)")
        return nil
    }
}
