import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel
import RelationRuntime

/// The calls of ProfileService.
package enum ProfileHandlers {
    package static func register(in router: Router) {
        router.read(ProfileMethods.getSelfProfile, getSelf)
        let profiles = router.committer.memory.profiles
        router.read(ProfileMethods.getProfilesView) { request, call, violations in
            if call.isPast { return getPast(request, call, &violations) }
            return get(request, profiles, call, &violations)
        }
        router.write(
            ProfileMethods.updateProfile, asking: .updateProfile, subject: subject
        ) { request, call, judgement, violations in
            updateJudged(request, call, &violations, judgement)
        }
        router.read(ProfileMethods.findProfileByUniqueID, find)
        router.write(ProfileMethods.setVisibility, setVisibility)
        router.read(ProfileMethods.getVisibility, getVisibility)
        FindHandlers.register(in: router)
        ContactHandlers.register(in: router)
    }

    // MARK: Reading

    static func getSelf(
        _ request: GetSelfProfileRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<GetSelfProfileResponse> {
        let settings = call.app.settings
        let mask = ProfileMask(request.readMask, "read_mask", settings, &violations)
        let (withUnset, known) = (request.withUnsetFields, request.knownVersion)
        let today = CalendarDay(of: call.now)
        let stamp = ViewStamp(mask, call.app, withUnset: withUnset)
        return reading(call) { (_, transaction) throws(StorageError) in
            var response = GetSelfProfileResponse()
            response.cacheSeconds = settings.profileCacheSeconds
            let found = try Profiles.visible(
                [call.user], by: call.user, isAdmin: call.isAdmin, app: call.app, in: transaction)
            guard var seen = found[0] else { return response }
            var reviews: [ReviewRecord] = []
            if !seen.record.reviews.isEmpty {
                reviews = seen.record.reviews.filter { [view = seen.view] review in
                    mask.contains(path: review.field)
                        && view.isVisible(path: review.field, settings)
                }
                seen = seen.withHeld
            }
            response.viewVersion = stamp.version(of: seen, with: reviews, on: today)
            response.notModified = response.viewVersion == known
            guard !response.notModified else { return response }
            let answer = ProfileAnswer(seen, mask, settings, withUnset: withUnset, on: today)
            response.profile = answer.profile
            response.fieldAccess = answer.access
            response.reviews = reviews.map { ProfileReview($0.attributed(to: call.user)) }
            return response
        }
    }

    static func get(
        _ request: GetProfilesRequest, _ profiles: StoredProfiles, _ call: Call,
        _ violations: inout Violations
    ) -> Reading<GetProfilesResponseView> {
        let settings = call.app.settings
        let most = RowSizes(settings).profilesPerCall
        violations.count(request.userIDs.count, "user_ids", 1...most)
        let mask = ProfileMask(request.readMask, "read_mask", settings, &violations)
        violations.count(request.knownVersions.count, "known_versions", 0...most)
        // Taken before the view of the store.
        let readVersion = profiles.clock.readVersion()
        return Reading { (transaction) throws(StorageError) in
            if transaction.wantsNotice {
                transaction.expect(
                    [.userRecords, .profiles, .blacklists], of: call.user,
                    and: request.userIDs.compactMap { UserID($0) }, app: call.app)
            }
            guard try Accounts.record(of: call.user, app: call.app, in: transaction) != nil else {
                return nil
            }
            var answer = ProfileResults(request, mask, call)
            try profiles.readVisible(
                answer.users, by: call.user, isAdmin: call.isAdmin, app: call.app, at: readVersion,
                in: transaction
            ) { (_, seen) throws(StorageError) in try answer.add(seen) }
            var response = GetProfilesResponseView()
            response.results = try answer.finished()
            response.cacheSeconds = settings.profileCacheSeconds
            return response
        }
    }

    /// Answers the profiles as they were at a past moment, without their versions.
    static func getPast(
        _ request: GetProfilesRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<GetProfilesResponseView> {
        if !request.knownVersions.isEmpty {
            violations.add("known_versions", "must be empty if options.as_of_ms is set")
        }
        // The cache has the present profiles, so this one keeps nothing.
        let profiles = StoredProfiles(clock: CommitClock(isOnlyWriter: false))
        return get(request, profiles, call, &violations)
    }

    static func find(
        _ request: FindProfileByUniqueIdRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<FindProfileByUniqueIdResponse> {
        let settings = call.app.settings
        let mask = ProfileMask(request.readMask, "read_mask", settings, &violations)
        let id = UniqueID(request.uniqueID, settings.limits)
        let (withUnset, known) = (request.withUnsetFields, request.knownVersion)
        let today = CalendarDay(of: call.now)
        let stamp = ViewStamp(mask, call.app, withUnset: withUnset)
        return reading(call) { (_, transaction) throws(StorageError) in
            var response = FindProfileByUniqueIdResponse()
            guard let id else {
                response.set(.uniqueIDMalformed, Reason.ProfileFind.uniqueIDIllegal)
                return response
            }
            let owner = try Profiles.found(
                by: id, for: call.user, isAdmin: call.isAdmin, at: call.now, app: call.app,
                in: transaction)
            let seen = try Profiles.visible(
                owner.map { [$0] } ?? [], by: call.user, isAdmin: call.isAdmin, app: call.app,
                in: transaction)
            guard let seen = seen.first ?? nil else {
                response.set(.uniqueIDNotExist, Reason.ProfileFind.uniqueIDNotExist)
                return response
            }
            response.set(.success)
            response.viewVersion = stamp.version(of: seen, isFound: true, on: today)
            response.notModified = response.viewVersion == known
            guard !response.notModified else { return response }
            let answer = ProfileAnswer(
                seen, mask, settings, withUnset: withUnset, on: today)
            response.profile = answer.profile
            response.fieldAccess = answer.access
            return response
        }
    }

    // MARK: Writing

    static func update(
        _ request: UpdateProfileRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<UpdateProfileResponse> {
        updateJudged(request, call, &violations, .none)
    }

    static func updateJudged(
        _ request: UpdateProfileRequest, _ call: Call, _ violations: inout Violations,
        _ judgement: HookJudgement
    ) -> Work<UpdateProfileResponse> {
        let update = ProfileUpdate(request, call, &violations, judgement)
        let (user, expected) = (call.user, request.expectedVersion)
        let (tags, isReviewed) = (request.tags, !call.isAdmin)
        let refusal = judgement.refusals[0]
        var work = Work<UpdateProfileResponse>(
            .one { [update] (ledger) throws(StorageError) in
                var response = UpdateProfileResponse()
                if let refusal {
                    response.set(ProfileStatus(rawValue: refusal.code), refusal.reason)
                    response.quote(refusal)
                    let old = try Profiles.record(
                        of: user, app: ledger.app, in: ledger.transaction)
                    response.version = old.version
                    return .success(
                        WriteResult(response: response, applied: false, isRefused: true))
                }
                let violations = try update.violations(of: user, in: ledger)
                if let first = violations.first {
                    response.set(first.code ?? .success, first.reason)
                    response.violations = violations
                    let old = try Profiles.record(
                        of: user, app: ledger.app, in: ledger.transaction)
                    response.version = old.version
                    return .success(
                        WriteResult(response: response, applied: false, isRefused: true))
                }
                let result = try Profiles.update(
                    user, update.values, fields: update.fields, customKeys: update.customKeys,
                    expectedVersion: expected, isReviewed: isReviewed, in: ledger)
                switch result {
                case .done(let version, let changed):
                    response.set(.success)
                    response.version = version
                    response.reviewedFields = try Profiles.underReview(
                        update.fields, customKeys: update.customKeys, of: user, in: ledger)
                    return .success(WriteResult(response: response, applied: changed))
                case .stale(let version):
                    return .failure(.versionStale(version))
                case .isLeaving:
                    return .failure(.unknownUser(user))
                case .reviewsFull(let paths, let version):
                    response.violations = paths.map { update.reviewsFull($0, tags) }
                    let first = response.violations.first
                    response.set(first?.code ?? .invalidParameter, first?.reason ?? .none)
                    response.version = version
                    return .success(
                        WriteResult(response: response, applied: false, isRefused: true))
                }
            })
        // A backend makes accounts, and a user's own credential does not. A caller that expects a
        // version knows that the account exists.
        work.makesUser = !call.isOwn && expected ?? 0 == 0
        Profiles.keys(
            of: user, uniqueID: update.values.uniqueID, app: call.app, into: &work.keys)
        work.action = .text
        return work
    }
}

/// The results of GetProfiles, in the order of the request.
private struct ProfileResults {
    /// The users whose ids are well-formed.
    private(set) var users: [UserID] = []
    private let names: [String]
    private let known: [String: Int64]
    private let arena: Arena
    private let splicer: ProfileSplicer
    private let stamp: ViewStamp
    private let isPast: Bool
    private var results: [Encoded<GetProfileResult>] = []
    /// How many of `users` have a result.
    private var answered = 0
    /// For each name whether it is one of `users`; nil if all are.
    private var areLegal: [Bool]?

    init(_ request: GetProfilesRequest, _ mask: ProfileMask, _ call: Call) {
        names = request.userIDs
        known = request.knownVersions
        arena = call.arena
        let withUnset = request.withUnsetFields
        isPast = call.isPast
        splicer = ProfileSplicer(
            mask, call.app, withUnset: withUnset, on: CalendarDay(of: call.now), call.arena)
        stamp = ViewStamp(mask, call.app, withUnset: withUnset)
        users.reserveCapacity(names.count)
        results.reserveCapacity(names.count)
        for name in names {
            if let user = UserID(name) { users.append(user) }
        }
        if users.count < names.count { areLegal = names.map { UserID($0) != nil } }
    }

    /// Adds the result of the next of `users`.
    mutating func add(_ seen: StoredProfiles.Seen?) throws(StorageError) {
        try addIllegal()
        let user = users[answered]
        answered += 1
        guard let seen else {
            return try refuse(user.text, .accountNotFound, Reason.ProfileGet.accountNotExist)
        }
        let age = splicer.age(of: seen)
        // A client must not take a past profile for a copy of the present one.
        let version = isPast ? 0 : stamp.version(of: seen, age)
        let isKnown = !known.isEmpty && known[user.text] == version
        do throws(CodecError) {
            results.append(
                isKnown
                    ? try splicer.notModified(user, viewVersion: version)
                    : try splicer.result(of: user, seen, age, viewVersion: version))
        } catch {
            throw Self.outOfMemory
        }
    }

    /// The results, when all of `users` have one.
    mutating func finished() throws(StorageError) -> [Encoded<GetProfileResult>] {
        try addIllegal()
        return results
    }

    /// Adds the results of the malformed ids that come next.
    private mutating func addIllegal() throws(StorageError) {
        guard let areLegal else { return }
        while results.count < names.count, !areLegal[results.count] {
            try refuse(
                names[results.count], .invalidParameter, Reason.ProfileGet.userIDIllegal)
        }
    }

    private mutating func refuse(
        _ name: String, _ code: ProfileStatus, _ reason: Reason
    ) throws(StorageError) {
        do throws(CodecError) {
            results.append(try arena.encode(GetProfileResult(name, code, reason)))
        } catch {
            throw Self.outOfMemory
        }
    }

    private static var outOfMemory: StorageError {
        StorageError.unanswerable("the answer does not fit into the memory of its call")
    }
}

extension GetProfileResult: OutcomeMessage {
    fileprivate init(_ name: String, _ code: ProfileStatus, _ reason: Reason = .none) {
        self.init()
        userID = name.echoed()
        set(code, reason)
    }
}

extension RPCError {
    /// The profile has `version`, and the caller expected another one.
    static func versionStale(_ version: Int64) -> RPCError {
        RPCError(
            .aborted, .versionStale, "expected_version: the profile has version \(version)",
            metadata: ["version": "\(version)"])
    }
}

extension FindProfileByUniqueIdResponse: OutcomeMessage {}
extension UpdateProfileResponse: OutcomeMessage {}
