import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

extension ProfileHandlers {
    static func setVisibility(
        _ request: SetVisibilityRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<SetVisibilityResponse> {
        if let visibility = request.visibility {
            violations.known(visibility, "visibility")
            if visibility == .groups {
                violations.add("visibility", "may be GROUPS only for a field")
            }
        } else if request.fields.isEmpty {
            violations.add("visibility", "this field or fields must be given")
        }
        let fields = violations.choices(request.fields, call.app.settings)
        let (user, visibility) = (call.user, request.visibility)
        let expected = request.expectedVersion
        var work = Work<SetVisibilityResponse>(
            .one { (ledger) throws(StorageError) in
                var response = SetVisibilityResponse()
                let result = try Profiles.choose(
                    visibility, fields, of: user, expectedVersion: expected, in: ledger)
                let isApplied: Bool
                var isRefused = false
                switch result {
                case .done(let version, let changed):
                    response.set(.success)
                    response.version = version
                    isApplied = changed
                case .refused(let code, let reason, let version):
                    response.set(code, reason)
                    response.version = version
                    (isApplied, isRefused) = (false, true)
                case .stale(let version):
                    return .failure(.versionStale(version))
                }
                let record = try Profiles.record(
                    of: user, app: ledger.app, in: ledger.transaction)
                response.effective = ledger.settings.visibility(chosen: record.visibility)
                return .success(
                    WriteResult(response: response, applied: isApplied, isRefused: isRefused))
            })
        Profiles.keys(of: user, app: call.app, into: &work.keys)
        Profiles.keys(of: user, choosing: fields, app: call.app, into: &work.keys)
        return work
    }

    static func getVisibility(
        _ request: GetVisibilityRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<GetVisibilityResponse> {
        let (app, user) = (call.app, call.user)
        return reading(call) { (_, transaction) throws(StorageError) in
            let settings = app.settings
            let record = try Profiles.record(of: user, app: app, in: transaction)
            var response = GetVisibilityResponse()
            response.userLevel = record.visibility
            response.appLevel = settings.defaultVisibility
            response.effective = settings.visibility(chosen: record.visibility)
            let choices = try Profiles.fieldChoices(of: record, user, app: app, in: transaction)
            response.fields = choices.filter { settings.hasChoice($0.path) }
                .map { FieldVisibility($0) }
            response.appFields = settings.fieldDefaults.choices
                .filter { settings.hasChoice($0.path) }
                .map { FieldVisibility(Profiles.FieldChoice($0.path, $0.visibility)) }
            return response
        }
    }
}

extension SetVisibilityResponse: OutcomeMessage {}

extension FieldVisibility {
    fileprivate init(_ choice: Profiles.FieldChoice) {
        self.init()
        field = choice.path
        visibility = choice.visibility
        groupNames = choice.groups
    }
}

extension AppSettings {
    /// Whether users may choose who sees the field of that path, and read the field themselves.
    fileprivate func hasChoice(_ path: String) -> Bool {
        if let field = ProfileField(named: path) { return field.hasChoice }
        guard let key = CustomPath.key(in: path) else { return false }
        return customField(key, of: .profile)?.isReadable ?? false
    }
}

extension Violations {
    /// The choices for single fields that a request asks for.
    fileprivate mutating func choices(
        _ fields: [FieldVisibility], _ settings: AppSettings
    ) -> [Profiles.FieldChoice] {
        count(fields.count, "fields", 0...Limits.fieldVisibilities)
        guard isEmpty else { return [] }
        var paths: Set<ExactText> = []
        for (index, field) in fields.enumerated() {
            let name = "fields[\(index)]"
            if !settings.hasChoice(field.field) {
                add(
                    path: field.field, in: "\(name).field", "is not a field with a choice",
                    takesKeys: true
                ) { ProfileField(named: $0)?.hasChoice ?? false }
            } else if !paths.insert(ExactText(field.field)).inserted {
                add("\(name).field", "is given twice")
            }
            if let visibility = field.visibility {
                known(visibility, "\(name).visibility")
            } else {
                add("\(name).visibility", "must be given")
            }
            checkGroups(of: field, "\(name).group_names")
        }
        return fields.map {
            Profiles.FieldChoice($0.field, $0.visibility ?? .notSet, $0.groupNames)
        }
    }

    private mutating func checkGroups(of field: FieldVisibility, _ name: String) {
        let groups = field.groupNames
        if field.visibility == .groups {
            count(groups.count, name, 1...Limits.groupsOfField)
            if Set(groups.map(ExactText.init)).count < groups.count {
                add(name, "has a name twice")
            } else if !groups.allSatisfy(GroupNames.mayExist) {
                add(name, "has a name that no group can have")
            }
        } else if !groups.isEmpty {
            add(name, "may be given only with GROUPS")
        }
    }
}
