import GRPC
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

/// ProfileService.
package enum ProfileHandlers {
    package static func register(in router: Router) {
        router.read(ProfileMethods.getSelfProfile, getSelf)
        router.read(ProfileMethods.getProfiles, get)
        router.write(ProfileMethods.updateProfile, update)
    }

    static func getSelf(
        _ request: GetSelfProfileRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<GetSelfProfileResponse> {
        let fields = ProfileMask(request.readMask, "read_mask", &faults)
        return reading(call) { (_, transaction) throws(StorageError) in
            let record = try Profiles.record(of: call.user, app: call.app, in: transaction)
            var response = GetSelfProfileResponse()
            response.profile = Profile(record, of: call.user, fields, as: .oneself)
            return response
        }
    }

    static func get(
        _ request: GetProfilesRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<GetProfilesResponse> {
        faults.count(request.userIDs.count, "user_ids", 1...Limits.getProfilesItems)
        let fields = ProfileMask(request.readMask, "read_mask", &faults)
        let ids = request.userIDs.map { UserID($0) }
        let names = request.userIDs
        return reading(call) { (_, transaction) throws(StorageError) in
            let users = ids.compactMap { $0 }
            let records = try Profiles.records(of: users, app: call.app, in: transaction)
            let blocking = try Blacklist.owners(
                among: users, blocking: call.user, app: call.app, in: transaction)
            var next = 0
            var response = GetProfilesResponse()
            for (name, id) in zip(names, ids) {
                var result = GetProfileResult()
                result.userID = name.echoed()
                if let id {
                    if let record = records[next] {
                        let viewer: Viewer =
                            id == call.user
                            ? .oneself : call.isAdmin ? .admin : blocking[next] ? .shutOut : .other
                        result.profile = Profile(record, of: id, fields, as: viewer)
                    } else {
                        result.code = .accountNotFound
                        result.info = Reason.ProfileGet.accountNotExist.description
                    }
                    next += 1
                } else {
                    result.code = .invalidParameter
                    result.info = Reason.ProfileGet.userIDIllegal.description
                }
                response.results.append(result)
            }
            return response
        }
    }

    static func update(
        _ request: UpdateProfileRequest, _ call: Call, _ faults: inout Violations
    ) -> Work<UpdateProfileResponse> {
        let mask = request.updateMask?.paths ?? []
        if mask.isEmpty == request.tags.isEmpty {
            faults.add("update_mask", "either it or tags must be given, and not both")
        }
        if mask.count > Limits.maskPaths {
            faults.add("update_mask", "names more than \(Limits.maskPaths) paths")
        }
        if request.tags.count > Limits.tagValues {
            faults.add("tags", "has more than \(Limits.tagValues) items")
        }
        if !mask.isEmpty && request.profile == nil {
            faults.add("profile", "must be given beside update_mask")
        }
        var update = ProfileUpdate(call.app.settings, isAdmin: call.isAdmin)
        if mask.isEmpty {
            update.read(request.tags)
        } else {
            update.read(mask, of: request.profile ?? Profile())
        }
        let (user, expected) = (call.user, request.expectedVersion)
        var work = Work<UpdateProfileResponse>(
            .one { (ledger) throws(StorageError) in
                var response = UpdateProfileResponse()
                guard update.violations.isEmpty else {
                    response.violations = update.violations
                    response.code = update.violations[0].code
                    response.info = update.violations[0].info
                    let old = try Profiles.record(
                        of: user, app: ledger.app, in: ledger.transaction)
                    response.version = old.version
                    return .success(Single(response: response, applied: false))
                }
                let result = try Profiles.update(
                    user, update.values, fields: update.fields, expectedVersion: expected,
                    in: ledger)
                switch result {
                case .done(let version):
                    response.version = version
                    return .success(Single(response: response, applied: true))
                case .stale(let version):
                    return .failure(
                        .fault(
                            .aborted, .versionStale,
                            "expected_version: the profile has version \(version)",
                            metadata: ["version": "\(version)"]))
                }
            })
        // The account of a profile that is refused is not made.
        work.makesUser = update.violations.isEmpty && expected ?? 0 == 0
        work.keys.append(Tables.profiles.key(call.app.partition(of: user), OnlyPlace()))
        return work
    }
}

/// Who looks at a profile.
enum Viewer {
    case oneself, admin, other
    /// A user on the blacklist of the one whose profile it is.
    case shutOut

    func sees(_ field: ProfileField) -> Bool {
        switch self {
        case .oneself, .admin: true
        case .other: !field.isPrivate
        case .shutOut: field.isAlwaysVisible
        }
    }
}

/// The fields that a read asks for: all if its mask is empty.
struct ProfileMask {
    private let fields: Set<ProfileField>?
    let hasVersion: Bool

    init(_ mask: FieldMask?, _ name: String, _ faults: inout Violations) {
        let paths = mask?.paths ?? []
        if paths.count > Limits.maskPaths {
            faults.add(name, "names \(paths.count) paths; at most \(Limits.maskPaths) may be named")
        }
        var named: Set<ProfileField> = []
        for path in paths where path != "user_id" && path != "version" {
            if let field = ProfileField(named: path) {
                named.insert(field)
            } else {
                faults.add(name, "a profile has no field \"\(path.echoed(atMost: 64))\"")
            }
        }
        fields = paths.isEmpty ? nil : named
        hasVersion = paths.isEmpty || paths.contains("version")
    }

    func contains(_ field: ProfileField) -> Bool {
        fields?.contains(field) ?? true
    }
}

extension Profile {
    /// The profile as `viewer` may see it.
    init(_ record: ProfileRecord, of user: UserID, _ mask: ProfileMask, as viewer: Viewer) {
        var seen = ProfileRecord()
        for field in ProfileField.allCases where mask.contains(field) && viewer.sees(field) {
            field.copy(from: record, to: &seen)
        }
        self.init()
        userID = user.text
        nick = seen.nick ?? ""
        faceURL = seen.faceURL ?? ""
        allowType = seen.allowType
        gender = seen.gender ?? .unknown
        birthday = seen.birthday ?? 0
        location = seen.location ?? []
        language = seen.language ?? 0
        level = seen.level ?? 0
        role = seen.role ?? 0
        selfSignature = seen.selfSignature ?? []
        msgSettings = seen.msgSettings ?? 0
        adminForbidType = seen.adminForbidType ?? .none
        if mask.hasVersion { version = record.version }
    }
}
