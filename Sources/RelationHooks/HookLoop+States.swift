import RelationAdmission
package import RelationChanges
package import RelationCore
import RelationModel
import Webhooks

/// Logins and logouts, which are in no log: each is sent once, by the server that has the hook.
extension HookLoop {
    /// Takes logins and logouts for the hooks that this server has.
    ///
    /// A server without others takes them for those too that it is about to have.
    package func deliver(_ steps: [PresenceStep]) {
        guard !isStopping else { return }
        readHooks()
        var touched: [HookKey: ServedHook] = [:]
        for step in steps {
            for hook in apps[step.app]?.settings.hooks ?? [] where hook.isToldStates {
                let key = HookKey(app: step.app, hook: HookID(hook.id))
                guard let served = hooks[key], !served.isStopped, isAtHand(served) else { continue }
                if served.states.add(step) { counts.droppedStates += 1 }
                touched[key] = served
            }
        }
        for served in touched.values { pumpStates(served) }
    }

    /// Whether no other server may have the hook, now or in a moment.
    private func isAtHand(_ served: ServedHook) -> Bool {
        !sharesStore || served.isHeld && !served.isEnding
    }

    /// Hands out the logins and logouts of a hook that may go out now.
    func pumpStates(_ served: ServedHook) {
        guard isAtHand(served), !served.isStopped, served.hook.isToldStates else {
            counts.droppedStates += UInt64(served.states.clear())
            return
        }
        guard served.isHeld, !served.isEnding else { return }
        guard served.states.count > 0, !isStopping, let app = apps[served.key.app] else { return }
        let forms = HookForms(app: app, hook: served.hook)
        while served.states.underWay < HookLimits.requestsOfHook, served.maySend(at: now),
            underWay < HookLimits.requests,
            underWayOfApp[app.id, default: 0] < max(1, HookLimits.requests - underWay),
            let step = served.states.next()
        {
            underWay += 1
            underWayOfApp[app.id, default: 0] += 1
            counts.requests += 1
            lastState += 1
            let name = forms.stateID(lastState, of: holder)
            var request = forms.state(step, named: name, at: wall)
            request.endMs = now + HookLimits.requestMilliseconds
            let (key, life, post) = (served.key, served.life, post)
            send(request) { result in
                post { $0.completeState(key, life, step, name, result) }
            }
        }
    }

    /// A request that failed is not sent again: what comes later says more.
    ///
    /// One of an earlier life names no user: an erasure of it may have ended that life.
    private func completeState(
        _ key: HookKey, _ life: Int, _ step: PresenceStep, _ name: String, _ result: HookResult
    ) {
        underWay -= 1
        underWayOfApp[key.app, default: 1] -= 1
        if underWayOfApp[key.app] == 0 { underWayOfApp[key.app] = nil }
        counts.note(result)
        guard let served = hooks[key] else { return }
        served.states.end(step.user)
        if served.isHeld, let cause = result.cause {
            var failure = HookFailureRecord()
            failure.timeMs = wall
            failure.userID = served.life == life ? step.user.text : ""
            failure.events = 1
            failure.eventID = name
            failure.attempt = 1
            failure.status = Int32(clamping: result.status)
            failure.cause = cause
            failure.givenUp = true
            served.failures.append(failure)
            served.failures = served.failures.suffix(HookLimits.failuresPerWrite)
            served.isDirty = true
        }
        pumpStates(served)
    }
}

extension HookRecord {
    /// Whether its receiver is notified of logins and logouts: one in TIM's form that gets all
    /// kinds of events, or names this one.
    package var isToldStates: Bool {
        form == .timCallbacks && !isPaused && !asksOnly && !usersOnly
            && (kinds.isEmpty || kinds.contains(.presence))
    }
}

extension HookForms {
    /// The name of a request that tells a login or a logout, which no other request has.
    func stateID(_ number: UInt64, of holder: String) -> String {
        "\(app.id)-\(app.history.text)-state-\(holder)-\(number)"
    }

    /// The request that tells a login or a logout.
    func state(_ step: PresenceStep, named name: String, at now: Int64) -> HookRequest {
        let action: TIMCallback.StateAction =
            switch step.cause {
            case .reportedOnline: .login
            case .reportedOffline: .logout
            case .leaseEnded: .timeOut
            case .forgotten: .linkClose
            }
        let callback = TIMCallback.stateChange(
            action, of: step.user.text, kicked: step.drivenOut.map(TIMPlatform.word),
            timeMilliseconds: step.timeMs ?? now)
        var request = HookRequest(
            app: app.id, url: hook.url, headers: [("webhook-id", name)],
            contentType: TIMCallback.contentType, body: callback.json())
        request.query = TIMQuery.items(
            appID: "\(app.id)", command: callback.command,
            platform: TIMPlatform.word(step.platform), token: token(at: now),
            seconds: now / 1_000)
        request.wantsObject = true
        return request
    }
}
