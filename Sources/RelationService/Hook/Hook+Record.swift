import RelationAPI
import RelationChanges
import RelationCore
import RelationModel

extension Hook {
    init(_ changed: Hooks.Changed, _ app: App, at end: Int64) {
        self.init(changed.hook, changed.progress, app, at: end)
    }

    /// - Parameter end: The position of the app's latest event.
    init(_ hook: HookRecord, _ progress: HookProgressRecord, _ app: App, at end: Int64) {
        self.init()
        hookID = hook.id
        name = hook.name
        url = hook.url
        kinds = hook.kinds
        form = hook.form
        batchSize = hook.batchSize
        usersOnly = hook.usersOnly
        asks = hook.asks
        asksOnly = hook.asksOnly
        if !hook.asks.isEmpty {
            silence = hook.silence == .unspecified ? .allow : hook.silence
            askTimeoutMs =
                hook.askTimeoutMs == 0 ? Limits.usualAskMilliseconds : hook.askTimeoutMs
        }
        state = hook.isPaused ? .paused : progress.stoppedMs > 0 ? .stopped : .active
        createTimeMs = hook.createdMs
        secrets = hook.secrets.map(AppSecretDescription.init)
        // A position of another history is none of this one: the hook gets a marker, and all that
        // is kept.
        let position = progress.historyID == app.history.id ? min(progress.position, end) : 0
        resumeToken = ResumeToken.text(of: position, sign: app.tokenSign)
        behind = hook.asksOnly ? 0 : end - position
        deliveryTimeMs = progress.deliveredMs
        failingSinceMs = progress.failingSinceMs
        stopTimeMs = progress.stoppedMs
        testTimeMs = progress.testedMs
    }
}

extension HookFailure {
    init(_ number: Int64, _ record: HookFailureRecord, _ app: App) {
        self.init()
        self.number = number
        timeMs = record.timeMs
        userID = record.userID
        events = record.events
        eventID = record.eventID
        attempt = record.attempt
        status = record.status
        cause = record.cause
        givenUp = record.givenUp
        if record.historyID == app.history.id {
            resumeToken = ResumeToken.text(of: record.afterPosition, sign: app.tokenSign)
        }
    }
}
