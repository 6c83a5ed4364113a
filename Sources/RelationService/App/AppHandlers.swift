import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// The calls of AppService about apps and their settings.
package enum AppHandlers {
    package static func register(in router: Router) {
        router.write(AppMethods.createApp, create)
        let others = router.others
        router.read(AppMethods.getApp, missing: .unknownApp) { request, call, violations in
            get(request, call, &violations, among: others)
        }
        let maintenance = router.maintenance
        router.write(AppMethods.updateApp) { request, call, violations in
            update(request, call, &violations) { maintenance.wake() }
        }
        router.read(AppMethods.listApps) { request, call, violations in
            list(request, call, &violations, among: others)
        }
        router.write(AppMethods.deleteApp) { request, call, violations in
            delete(request, call, &violations) { maintenance.wake() }
        }
        router.read(AppMethods.getLimits, getLimits)
        CredentialHandlers.register(in: router)
        OperatorKeyHandlers.register(in: router)
        CustomFieldHandlers.register(in: router)
    }

    // MARK: CreateApp

    static func create(
        _ request: CreateAppRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<CreateAppResponse> {
        violations.length(request.name, "name", atMost: Limits.appNameBytes)
        violations.known(request.preset, "preset")
        var making = AppRules.Making()
        making.id = request.appID == 0 ? nil : request.appID
        making.name = request.name
        making.preset = request.preset == .unspecified ? .tim : request.preset
        making.settings = violations.settings(request.settings).map { $0.record(of: $1) }
        var work = Work<CreateAppResponse>(
            .one { (ledger) throws(StorageError) in
                switch try AppRules.create(making, in: ledger) {
                case .done(let id, let record):
                    var response = CreateAppResponse()
                    response.app = AppDescription(id, record, deletion: nil)
                    return .success(WriteResult(response: response, applied: true))
                case .exists: return .failure(.appExists(making.id ?? 0))
                case .beingDeleted: return .failure(.appBeingDeleted(making.id ?? 0))
                case .tooMany:
                    return .failure(.full(.tooManyApps, "the server", "apps", Limits.apps))
                }
            })
        AppRules.registryKeys(into: &work.keys)
        if let id = making.id { AppRules.keysForMaking(id, into: &work.keys) }
        return work
    }

    // MARK: GetApp, ListApps

    static func get(
        _ request: GetAppRequest, _ call: Call, _ violations: inout Violations,
        among others: FleetStores? = nil
    ) -> Reading<GetAppResponse> {
        // An operator may name an app that other calls no longer find.
        let isOther = request.appID != 0 && request.appID != call.app.id
        if isOther, !call.isOperator { violations.refuse(.missing(.operator)) }
        let id = request.appID == 0 ? call.app.id : request.appID
        // Another app may live in another database.
        let other: OtherStore? = others.flatMap { others in
            isOther ? { (body) throws(StorageError) in try others.read(of: id, body) } : nil
        }
        return Reading(in: other) { (transaction) throws(StorageError) in
            try app(id, in: transaction)
        }
    }

    private static func app(
        _ id: UInt32, in transaction: any ReadTransaction
    ) throws(StorageError) -> GetAppResponse? {
        guard let record = try AppRules.record(of: id, in: transaction) else { return nil }
        let deletion = try AppRules.deletion(of: id, in: transaction)
        var response = GetAppResponse()
        response.app = AppDescription(id, record, deletion: deletion)
        return response
    }

    static func list(
        _ request: ListAppsRequest, _ call: Call, _ violations: inout Violations,
        among others: FleetStores? = nil
    ) -> Reading<ListAppsResponse> {
        let query = "ListApps \(mark: call.app)"
        let page = Page(request.pageSize, request.pageToken, of: query, &violations)
        return Reading { (transaction) throws(StorageError) in
            let last = page.position.map { UInt32(truncatingIfNeeded: $0.timeMs) } ?? 0
            let (found, count) =
                if let others {
                    try apps(after: last, limit: page.rows + 1, among: others)
                } else {
                    (
                        try apps(after: last, limit: page.rows + 1, in: transaction),
                        try AppRules.count(in: transaction)
                    )
                }
            var response = ListAppsResponse()
            var bytes = 0
            for app in found.prefix(page.rows) {
                bytes += app.bytesAtMost
                // A row that is larger than a page still fits into an empty page.
                guard response.apps.isEmpty || bytes <= Limits.pageBytes else { break }
                response.apps.append(app)
            }
            if found.count > response.apps.count, let last = response.apps.last {
                let position = TimedUser(
                    timeMs: Int64(last.appID), user: UserID(stored: "app"))
                response.nextPageToken = PageToken(position).text(of: query)
            }
            response.totalSize = Int32(count)
            return response
        }
    }

    private static func apps(
        after last: UInt32, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [AppDescription] {
        try AppRules.list(after: last, limit: limit, in: transaction).map {
            (id, record) throws(StorageError) in
            let deletion =
                record.state == .deleting ? try AppRules.deletion(of: id, in: transaction) : nil
            return AppDescription(id, record, deletion: deletion)
        }
    }

    /// The apps of all databases in the order of their numbers, and how many there are.
    private static func apps(
        after last: UInt32, limit: Int, among others: FleetStores
    ) throws(StorageError) -> ([AppDescription], count: Int) {
        var all: [AppDescription] = []
        var count = 0
        try others.readEach { (transaction, lives) throws(StorageError) in
            count += try AppRules.count(in: transaction)
            all += try apps(after: last, limit: limit, in: transaction)
                .filter { lives($0.appID) }
        }
        return (all.sorted { $0.appID < $1.appID }, count)
    }

    // MARK: UpdateApp

    static func update(
        _ request: UpdateAppRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<UpdateAppResponse> {
        update(request, call, &violations) {}
    }

    /// - Parameter wake: Called if the background has something to do for the app.
    private static func update(
        _ request: UpdateAppRequest, _ call: Call, _ violations: inout Violations,
        wake: @escaping @Sendable () -> Void
    ) -> Work<UpdateAppResponse> {
        if let name = request.name { violations.length(name, "name", atMost: Limits.appNameBytes) }
        let paths = violations.paths(of: request.updateMask, "update_mask")
        var change = AppRules.Change()
        change.name = request.name
        change.expectedVersion = request.expectedVersion
        let given = violations.settings(request.settings)
        // Without a mask, the settings that are given are changed, and all others stay.
        if paths.isEmpty { change.settings = given.map { ($0.setting, $0.value) } }
        if paths.isEmpty, request.name == nil, violations.isEmpty, given.isEmpty {
            violations.add("settings", "a setting, update_mask or name must be given")
        }
        for path in paths {
            guard let setting = AppSetting.named(path) else {
                violations.add(path: path, in: "update_mask", "is not a setting") {
                    AppSetting.named($0) != nil
                }
                continue
            }
            let new = given.first { $0.setting.number == setting.number }
            change.settings.append((setting, new?.value))
        }
        if !call.isOperator, change.settings.contains(where: \.setting.isForOperators) {
            violations.refuse(.missing(.operator))
        }
        let id = call.app.id
        var work = Work<UpdateAppResponse>(
            .one { (ledger) throws(StorageError) in
                switch try AppRules.update(id, change, in: ledger) {
                case .done(let record, let changed):
                    // The index of names is made or removed in the background.
                    if changed, record.findEpoch == record.version { wake() }
                    var response = UpdateAppResponse()
                    response.app = AppDescription(id, record, deletion: nil)
                    return .success(WriteResult(response: response, applied: changed))
                case .stale(let version):
                    return .failure(
                        RPCError(
                            .aborted, .versionStale,
                            "expected_version: the app has version \(version)",
                            metadata: ["version": "\(version)"]))
                case .unknown: return .failure(.unknownApp(id))
                case .moving: return .failure(.appMoving(id))
                }
            })
        AppRules.keys(of: id, into: &work.keys)
        return work
    }

    // MARK: DeleteApp

    /// - Parameter wake: Wakes the background work.
    static func delete(
        _ request: DeleteAppRequest, _ call: Call, _ violations: inout Violations,
        wake: @escaping @Sendable () -> Void
    ) -> Work<DeleteAppResponse> {
        let id = request.appID
        if id == 0 { violations.add("app_id", "must be given") }
        var work = Work<DeleteAppResponse>(
            .one { (ledger) throws(StorageError) in
                let (record, changed): (AppRecord, Bool)
                switch try AppRules.delete(id, in: ledger) {
                case .done(let found, let isNew): (record, changed) = (found, isNew)
                case .unknown:
                    return .failure(
                        RPCError(.notFound, .appNotFound, "app_id: there is no app \(id)"))
                case .moving: return .failure(.appMoving(id))
                }
                wake()
                var response = DeleteAppResponse()
                response.app = AppDescription(
                    id, record, deletion: try AppRules.deletion(of: id, in: ledger.transaction))
                return .success(WriteResult(response: response, applied: changed))
            })
        AppRules.keysForDeleting(id, into: &work.keys)
        return work
    }
}

extension Violations {
    /// The settings in `message`, as they are stored.
    ///
    /// A setting out of its bounds is left out, with a violation that names it.
    mutating func settings(
        _ message: AppSettingsMessage?
    ) -> [(setting: AppSetting, value: AppSetting.Value)] {
        var settings: [(setting: AppSetting, value: AppSetting.Value)] = []
        for (path, value) in SettingsVisitor.fields(of: message ?? AppSettingsMessage()) {
            guard let value, let setting = AppSetting.named(path),
                let legal = legal(value, of: setting)
            else { continue }
            settings.append((setting, legal))
        }
        return settings
    }

    /// Returns `value` as it is stored; adds a violation and returns nil if it is out of bounds.
    private mutating func legal(
        _ value: AppSetting.Value, of setting: AppSetting
    ) -> AppSetting.Value? {
        let field = "settings.\(setting.name)"
        switch (setting.bounds, value) {
        case (.number(let bounds), .number(let number)):
            guard bounds.contains(number) else {
                add(field, "is \(number); \(bounds.lowerBound) to \(bounds.upperBound) is allowed")
                return nil
            }
            return value
        case (.texts(let count, let each), .texts(let texts)):
            guard count.contains(texts.count) else {
                add(field, "has \(texts.count) items; at most \(count.upperBound) are allowed")
                return nil
            }
            guard texts.allSatisfy({ each.contains($0.utf8.count) }) else {
                add(
                    field,
                    "has an item that is not \(each.lowerBound) to \(each.upperBound) bytes long")
                return nil
            }
            guard setting.namesFields || texts.allSatisfy(AppSettings.canForbid) else {
                add(field, "has an item without a visible character")
                return nil
            }
            if setting.namesReviewedFields {
                let allows =
                    setting.namesReviewedFriendFields
                    ? ReviewedPaths.allowsOfFriend : ReviewedPaths.allows
                guard texts.allSatisfy(allows) else {
                    add(field, "has an item that is not a field whose values are reviewed")
                    return nil
                }
                return value
            }
            guard !setting.namesFields || texts.allSatisfy(FieldDefaults.allows) else {
                add(field, "has an item that is not a field with a choice")
                return nil
            }
            return value
        default:
            add(field, "is of the wrong kind")
            return nil
        }
    }
}

extension AppDescription {
    init(_ id: UInt32, _ record: AppRecord, deletion: AppDeletionRecord?) {
        self.init()
        appID = id
        preset = record.preset
        name = record.name
        state = record.state
        createTimeMs = record.createdMs
        version = record.version
        settings = SettingsVisitor.message(of: record.effectiveSettings)
        changedSettings = record.settings.compactMap { AppSetting.numbered($0.number)?.name }
        secrets = record.secrets.map(AppSecretDescription.init)
        self.deletion = deletion.map { deletion in
            var progress = AppDeletionProgress()
            progress.startTimeMs = deletion.startedMs
            progress.removedRows = deletion.removedRows
            return progress
        }
    }
}

extension AppSecretDescription {
    init(_ record: SecretRecord) {
        self.init()
        createTimeMs = record.createdMs
        expireTimeMs = record.validUntilMs ?? 0
    }
}

extension RPCError {
    fileprivate static func appExists(_ id: UInt32) -> RPCError {
        RPCError(.alreadyExists, .appExists, "app_id: the app \(id) exists already")
    }

    fileprivate static func appBeingDeleted(_ id: UInt32) -> RPCError {
        RPCError(
            .failedPrecondition, .appBeingDeleted,
            "app_id: the app \(id) was deleted, and some of its rows are still there")
    }

    /// The owner has `limit` things, and asked for one more.
    static func full(
        _ reason: ErrorReason, _ owner: String, _ things: String, _ limit: Int, actual: Int? = nil
    ) -> RPCError {
        var metadata = ["limit": "\(limit)"]
        if let actual { metadata["actual"] = "\(actual)" }
        return RPCError(
            .resourceExhausted, reason, "\(owner) has \(limit) \(things), and may have no more",
            metadata: metadata)
    }
}
