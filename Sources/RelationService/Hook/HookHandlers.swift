import GRPC
import Memory
import RPC
import RelationAPI
import RelationCalls
import RelationChanges
import RelationCore
import RelationHooks
import RelationModel

/// The calls of HookService.
package enum HookHandlers {
    package static func register(in router: Router) {
        let (policy, randomness, clock) = (router.hooks, router.randomness, router.clock)
        router.write(HookMethods.createHook) { request, call, violations in
            create(request, call, &violations, policy, randomness)
        }
        router.write(HookMethods.updateHook) { request, call, violations in
            update(request, call, &violations, policy)
        }
        router.write(HookMethods.deleteHook, delete)
        router.read(HookMethods.listHooks, list)
        router.write(HookMethods.rotateHookSecret) { request, call, violations in
            rotate(request, call, &violations, randomness)
        }
        router.write(HookMethods.replayHook, replay)
        router.read(HookMethods.listHookFailures, missing: .unknownHook, listFailures)
        router.write(HookMethods.testHook) { request, call, violations in
            test(request, call, &violations, policy, clock)
        }
    }

    // MARK: Changes

    static func create(
        _ request: CreateHookRequest, _ call: Call, _ violations: inout Violations,
        _ policy: HookPolicy, _ randomness: Randomness
    ) -> Work<CreateHookResponse> {
        if policy.refusal == nil { violations.refuse(.hooksDisabled) }
        violations.length(request.name, "name", atMost: Limits.appNameBytes)
        violations.hookURL(request.url, policy)
        if request.form == .grpc { violations.hookOrigin(request.url) }
        violations.hookKinds(request.kinds, "kinds", request.form)
        violations.known(request.form, "form")
        violations.hookBatch(request.batchSize)
        violations.hookQuestions(
            request.asks, "asks", request.silence, timeout: request.askTimeoutMs)
        let isGiven = !request.secret.isEmpty
        if isGiven { violations.hookSecret(request.secret, request.form) }
        let (app, now) = (call.app, call.now)
        let secret = isGiven ? request.secret : randomness.hookSecret()
        var record = HookRecord()
        record.id = randomness.text(bytes: HookID.byteCount / 2)
        record.name = request.name
        record.url = request.url
        record.kinds = request.kinds
        record.form = request.form == .unspecified ? .cloudEvents : request.form
        record.batchSize = max(1, request.batchSize)
        record.usersOnly = request.usersOnly
        record.isPaused = request.paused
        record.asks = request.asks.sorted { $0.rawValue < $1.rawValue }
        record.silence = request.silence
        record.askTimeoutMs = request.askTimeoutMs
        record.asksOnly = request.asksOnly
        if violations.isEmpty, !record.isAskable { violations.unaskable() }
        record.createdMs = now.milliseconds
        record.secrets = [SecretRecord(secret, at: now)]
        let isDryRun = request.options?.dryRun ?? false
        var work = Work<CreateHookResponse>(
            .one { [record] (ledger) throws(StorageError) in
                switch try Hooks.create(record, in: ledger) {
                case .done(let hook, let progress):
                    var response = CreateHookResponse()
                    response.hook = Hook(hook, progress, app, at: progress.position)
                    let kept = response
                    if !isDryRun, !isGiven { response.secret = secret }
                    return .success(WriteResult(response: response, applied: true, kept: kept))
                case .full:
                    return .failure(.full(.tooManyHooks, "the app", "hooks", Limits.hooks))
                case .taken: return .failure(.questionTaken)
                case .unknownApp: return .failure(.unknownApp(app.id))
                }
            })
        Hooks.keysForCreating(app, into: &work.keys)
        return work
    }

    static func update(
        _ request: UpdateHookRequest, _ call: Call, _ violations: inout Violations,
        _ policy: HookPolicy
    ) -> Work<UpdateHookResponse> {
        if policy.refusal == nil { violations.refuse(.hooksDisabled) }
        let id = violations.hookID(request.hookID)
        if let name = request.name { violations.length(name, "name", atMost: Limits.appNameBytes) }
        if let url = request.url { violations.hookURL(url, policy) }
        if let kinds = request.kinds {
            violations.hookKinds(kinds.values, "kinds.values", request.form)
        }
        if let form = request.form { violations.known(form, "form") }
        if let size = request.batchSize { violations.hookBatch(size) }
        violations.hookQuestions(
            request.asks?.values ?? [], "asks.values", request.silence ?? .unspecified,
            timeout: request.askTimeoutMs ?? 0)
        var change = Hooks.Change()
        change.name = request.name
        change.url = request.url
        change.kinds = request.kinds?.values
        change.form = request.form.map { $0 == .unspecified ? .cloudEvents : $0 }
        change.batchSize = request.batchSize.map { max(1, $0) }
        change.usersOnly = request.usersOnly
        change.isPaused = request.paused
        change.asks = request.asks?.values.sorted { $0.rawValue < $1.rawValue }
        change.silence = request.silence
        change.askTimeoutMs = request.askTimeoutMs
        change.asksOnly = request.asksOnly
        let app = call.app
        var work = Work<UpdateHookResponse>(
            .one { [change] (ledger) throws(StorageError) in
                if let hook = try Hooks.record(of: id, in: ledger) {
                    let form = change.form ?? hook.form
                    var violations = Violations()
                    if form == .grpc { violations.hookOrigin(change.url ?? hook.url) }
                    let streamed = (change.kinds ?? hook.kinds).firstIndex(of: .presence)
                    if form != .timCallbacks, let streamed {
                        violations.add(
                            "kinds.values[\(streamed)]", "is a kind that only streams have")
                    }
                    if form != hook.form { violations.hookForm(form, hook.secrets.first) }
                    if !violations.isEmpty { return .failure(violations.error) }
                }
                guard let changed = try Hooks.update(id, change, in: ledger) else {
                    return .failure(.unknownHook)
                }
                guard changed.hook.isAskable else {
                    var violations = Violations()
                    violations.unaskable()
                    return .failure(violations.error)
                }
                if let asks = change.asks, try Hooks.isTaken(asks, besides: id, in: ledger) {
                    return .failure(.questionTaken)
                }
                var response = UpdateHookResponse()
                response.hook = Hook(changed, app, at: try ledger.feedState().position)
                return .success(WriteResult(response: response, applied: changed.isChanged))
            })
        Hooks.keys(id, app, into: &work.keys)
        return work
    }

    static func delete(
        _ request: DeleteHookRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DeleteHookResponse> {
        let id = violations.hookID(request.hookID)
        var work = Work<DeleteHookResponse>(
            .one { (ledger) throws(StorageError) in
                guard try Hooks.delete(id, in: ledger) else { return .failure(.unknownHook) }
                return .success(WriteResult(response: DeleteHookResponse(), applied: true))
            })
        Hooks.keys(id, call.app, into: &work.keys)
        return work
    }

    static func rotate(
        _ request: RotateHookSecretRequest, _ call: Call, _ violations: inout Violations,
        _ randomness: Randomness
    ) -> Work<RotateHookSecretResponse> {
        let id = violations.hookID(request.hookID)
        let until = request.oldExpireTimeMs ?? 0
        let latest = call.now.milliseconds + Limits.oldSecretMilliseconds
        if request.oldExpireTimeMs == nil {
            violations.add(
                "old_expire_time_ms", "must be given, because 0 ends the old secret at once")
        } else if !(0...latest).contains(until) {
            violations.add(
                "old_expire_time_ms", "must be 0 to \(latest), which is 30 days from now")
        }
        let isGiven = !request.secret.isEmpty
        // Each form takes no more than that of TIM.
        if isGiven { violations.hookSecret(request.secret, .timCallbacks) }
        let secret = isGiven ? request.secret : randomness.hookSecret()
        let app = call.app
        let isDryRun = request.options?.dryRun ?? false
        var work = Work<RotateHookSecretResponse>(
            .one { (ledger) throws(StorageError) in
                if isGiven, let hook = try Hooks.record(of: id, in: ledger) {
                    var violations = Violations()
                    violations.hookSecret(secret, hook.form)
                    if !violations.isEmpty { return .failure(violations.error) }
                }
                let rotated: Hooks.Changed
                switch try Hooks.rotate(id, to: secret, oldValidUntilMs: until, in: ledger) {
                case .done(let changed): rotated = changed
                case .full: return .failure(.tooManyHookSecrets)
                case .unknown: return .failure(.unknownHook)
                }
                var response = RotateHookSecretResponse()
                response.hook = Hook(rotated, app, at: try ledger.feedState().position)
                let kept = response
                if !isDryRun, !isGiven { response.secret = secret }
                return .success(
                    WriteResult(response: response, applied: rotated.isChanged, kept: kept))
            })
        Hooks.keys(id, app, into: &work.keys)
        return work
    }

    static func replay(
        _ request: ReplayHookRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<ReplayHookResponse> {
        let id = violations.hookID(request.hookID)
        let start = violations.hookStart(request, call)
        let app = call.app
        var work = Work<ReplayHookResponse>(
            .one { (ledger) throws(StorageError) in
                guard let changed = try Hooks.replay(id, from: start, in: ledger) else {
                    return .failure(.unknownHook)
                }
                var response = ReplayHookResponse()
                response.hook = Hook(changed, app, at: try ledger.feedState().position)
                return .success(WriteResult(response: response, applied: true))
            })
        Hooks.keys(id, app, into: &work.keys)
        return work
    }

    static func test(
        _ request: TestHookRequest, _ call: Call, _ violations: inout Violations,
        _ policy: HookPolicy, _ clock: ServiceClock
    ) -> Work<TestHookResponse> {
        let id = violations.hookID(request.hookID)
        let app = call.app
        let permit = policy.tester?.acquire(of: app.id)
        if policy.tester == nil {
            violations.refuse(.hooksDisabled)
        } else if permit == nil {
            violations.refuse(.tooManyHookTests)
        }
        let test = HookTestCall(app)
        let isDryRun = request.options?.dryRun ?? false
        var work = Work<TestHookResponse>(
            .one { (ledger) throws(StorageError) in
                guard let tested = try Hooks.test(id, in: ledger) else {
                    return .failure(.unknownHook)
                }
                if !isDryRun { test.tested = tested }
                var response = TestHookResponse()
                if !isDryRun { response.eventID = test.eventID }
                return .success(WriteResult(response: response, applied: true))
            })
        Hooks.keys(id, app, into: &work.keys)
        guard let tester = policy.tester, let permit else { return work }
        work.beforeAnswer = { _, _, end in test.send(tester, with: permit, clock, end) }
        work.atAnswer = { response in test.complete(&response) }
        return work
    }

    // MARK: Lists

    static func list(
        _ request: ListHooksRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListHooksResponse> {
        let app = call.app
        let query = "ListHooks \(mark: app)"
        let page = KeyedPage(request.pageSize, request.pageToken, of: query, &violations)
        return Reading { (transaction) throws(StorageError) in
            let all = try AppRules.record(of: app.id, in: transaction)?.hooks ?? []
            let shown = page.cut(all, by: \.id)
            let hooks = Array(shown.rows)
            let progress = try Hooks.progress(of: hooks, app, in: transaction)
            let end = try Feed.state(of: app, in: transaction).position
            var response = ListHooksResponse()
            response.hooks = zip(hooks, progress).map { hook, progress in
                Hook(hook, progress ?? HookProgressRecord(), app, at: end)
            }
            response.nextPageToken = shown.nextToken
            response.totalSize = Int32(all.count)
            return response
        }
    }

    static func listFailures(
        _ request: ListHookFailuresRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListHookFailuresResponse> {
        let id = violations.hookID(request.hookID)
        let app = call.app
        let query = "ListHookFailures \(mark: app) \(id.text)"
        let page = KeyedPage(request.pageSize, request.pageToken, of: query, &violations)
        return Reading { (transaction) throws(StorageError) in
            guard let progress = try Hooks.progress(of: id, app, in: transaction) else {
                return nil
            }
            let all = try Hooks.failures(of: id, progress, app, in: transaction)
            // The latest come first, so keys fall as numbers grow.
            let shown = page.cut(all) { (row) -> [UInt8] in
                withUnsafeBytes(of: UInt64(Int64.max - row.number).bigEndian) { Array($0) }
            }
            var response = ListHookFailuresResponse()
            response.failures = shown.rows.map { HookFailure($0.number, $0.record, app) }
            response.nextPageToken = shown.nextToken
            response.totalSize = Int32(all.count)
            return response
        }
    }
}

extension Randomness {
    /// A secret as Standard Webhooks has it.
    fileprivate func hookSecret() -> String {
        let bytes = bytes(Limits.hookSecretBytes)
        return "whsec_" + bytes.withUnsafeBytes { Base64.text($0, padded: true) }
    }
}

extension SecretRecord {
    fileprivate init(_ text: String, at now: Timestamp) {
        self.init()
        self.text = text
        createdMs = now.milliseconds
    }
}

extension RPCError {
    fileprivate static let hooksDisabled = RPCError(
        .failedPrecondition, .hooksDisabled,
        "the server's operator allows no hooks: see the setting `hooks`")
    fileprivate static let questionTaken = RPCError(
        .failedPrecondition, .hookQuestionTaken,
        "asks: another hook of the app asks before one of these calls")
    fileprivate static let tooManyHookTests = RPCError(
        .resourceExhausted, .tooManyHookTests,
        "\(Limits.hookTests) tests of the app's hooks wait for their receivers",
        metadata: ["limit": "\(Limits.hookTests)"])
    fileprivate static let tooManyHookSecrets = RPCError(
        .resourceExhausted, .tooManyHookSecrets,
        "\(Limits.hookSecrets) secrets of the hook are good; wait until one ends, or end all older "
            + "ones by old_expire_time_ms 0",
        metadata: ["limit": "\(Limits.hookSecrets)"])
    fileprivate static let unknownHook = RPCError(
        .notFound, .hookNotFound, "hook_id: the app has no such hook")
}

extension Violations {
    /// The hook that a request names; adds a violation if the id is malformed.
    fileprivate mutating func hookID(_ text: String) -> HookID {
        if text.isEmpty || text.utf8.count > HookID.byteCount {
            add("hook_id", "must be 1 to \(HookID.byteCount) bytes")
            return HookID("?")
        }
        return HookID(text)
    }

    fileprivate mutating func hookURL(_ url: String, _ policy: HookPolicy) {
        guard url.utf8.count <= Limits.hookURLBytes else {
            return length(url, "url", atMost: Limits.hookURLBytes)
        }
        if let rule = policy.refusal?(url) { add("url", rule) }
    }

    /// Checks a URL of the form of gRPC, whose methods have paths of their own.
    fileprivate mutating func hookOrigin(_ url: String) {
        guard let mark = url.firstRange(of: "://") else { return }
        let path = url[mark.upperBound...].drop { $0 != "/" && $0 != "?" }
        if !path.isEmpty, path != "/" {
            add("url", "must have no path: a call of gRPC has its own")
        }
    }

    /// Checks a secret that an app brings along; the violation never shows it.
    fileprivate mutating func hookSecret(_ secret: String, _ form: HookForm) {
        if let rule = form.rule(brokenBySecret: secret) { add("secret", rule) }
    }

    /// Checks whether the newest secret of a hook signs requests of another form.
    fileprivate mutating func hookForm(_ form: HookForm, _ secret: SecretRecord?) {
        guard let secret, let rule = form.rule(brokenBySecret: secret.text) else { return }
        add("form", "does not fit the hook's secret, which \(rule): rotate the secret first")
    }

    fileprivate mutating func hookBatch(_ size: Int32) {
        guard !(0...Int32(Limits.hookBatch)).contains(size) else { return }
        add("batch_size", "is \(size); it must be 0 to \(Limits.hookBatch)")
    }

    /// - Parameter form: The form of the hook; nil if only the write knows it.
    fileprivate mutating func hookKinds(
        _ kinds: [ChangeKind], _ field: String, _ form: HookForm?
    ) {
        count(kinds.count, field, 0...Limits.hookKinds)
        for (index, kind) in kinds.prefix(Limits.hookKinds).enumerated() {
            let itemPath = "\(field)[\(index)]"
            switch kind {
            case .unspecified: add(itemPath, "must be given")
            // TIM's callbacks have one for presence, and no event.
            case .presence where form == nil || form == .timCallbacks: break
            case .presence, .state, .syncCompleted, .resync:
                add(itemPath, "is a kind that only streams have")
            default: known(kind, itemPath)
            }
        }
    }

    fileprivate mutating func hookQuestions(
        _ asks: [HookQuestion], _ field: String, _ silence: HookSilence, timeout: Int64
    ) {
        count(asks.count, field, 0...Limits.hookAsks)
        for (index, question) in asks.prefix(Limits.hookAsks).enumerated() {
            let itemPath = "\(field)[\(index)]"
            if question == .unspecified {
                add(itemPath, "must be given")
            } else if asks.prefix(index).contains(question) {
                add(itemPath, "is given twice")
            } else {
                known(question, itemPath)
            }
        }
        known(silence, "silence")
        let bounds = Limits.askMilliseconds
        if timeout != 0, !bounds.contains(timeout) {
            add(
                "ask_timeout_ms",
                "is \(timeout); it must be \(bounds.lowerBound) to \(bounds.upperBound), or 0")
        }
    }

    fileprivate mutating func unaskable() {
        add(
            "asks",
            "must not be empty with asks_only, and TIM's form has only ADD_FRIENDS and "
                + "RESPOND_TO_APPLICATIONS")
    }

    /// The point to which a replay goes.
    fileprivate mutating func hookStart(_ request: ReplayHookRequest, _ call: Call) -> Hooks.Start {
        guard request.resumeToken.isEmpty != (request.timeMs == 0) else {
            add("resume_token", "exactly one of resume_token and time_ms must be given")
            return .time(0)
        }
        guard request.resumeToken.isEmpty else {
            let position = ResumeToken.position(request.resumeToken, of: call.app)
            if let position, position != ResumeToken.nowhere { return .position(position) }
            add(
                "resume_token", "is not a token of this app in its present history",
                reason: .invalidResumeToken)
            return .time(0)
        }
        if !(1...call.now.milliseconds).contains(request.timeMs) {
            add("time_ms", "must not be before 1970, or in the future")
        }
        return .time(request.timeMs)
    }
}
