package import RelationCore
package import RelationModel
import Storage

/// One call of one user, with everything that it needs, so that an oracle and any engine can take
/// it.
package struct RelationStep: CustomStringConvertible, Sendable {
    /// One other user, and the texts of the call about it.
    package struct Item: Sendable {
        package let user: UserID
        package var remark = ""
        package var wording = ""
        package var source = ""
        package var groups: [String] = []
        /// The application that an answer means.
        package var meant = Meant.whichever

        package init(_ user: UserID) {
            self.user = user
        }

        var row: Oracle.Row {
            var row = Oracle.Row()
            row.remark = remark
            row.groups = groups
            row.source = source
            row.wording = wording
            return row
        }
    }

    /// Which application the id in an answer names.
    package enum Meant: Sendable {
        case whichever, theOneThatWaits, another
    }

    package enum Action: Sendable {
        case add([Item], AddType, force: Bool)
        case respond([Item], FriendResponseType)
        case delete([UserID], DeleteType)
        /// A nil value leaves the old one.
        case update(UserID, remark: String?, groups: [String]?)
        case mark(UserID, RowMarks)
        case block([UserID])
        case unblock([UserID])
        case subscribe([UserID], SubscribeType, seconds: Int64)
        case unsubscribe([UserID], SubscribeType)
        case follow([UserID])
        case unfollow([UserID])
        case dismiss([UserID])
        case restore([UserID])
        /// The status ends after so many seconds; 0 is never.
        case setStatus(String, seconds: Int64)
        /// Makes the invitation of that number; it is good for so many seconds.
        case invite(Int, uses: Int32, preApproved: Bool, text: String, seconds: Int64)
        /// Uses an invitation, with the texts of an item about anyone.
        case accept(Int, Item)
        case revoke(Int)
        /// The suspension ends after so many seconds; 0 is never.
        case suspend(UserID, SuspensionLevel, seconds: Int64)
        case reinstate(UserID)
        case report(UserID)
        /// Closes the report of the actor about the user.
        case resolve(UserID)
        /// Shows the mail address to these users, and in a list of groups to their members.
        case showMail(Visibility, [String])
        /// Shows the profile as a whole to these users.
        case showProfile(Visibility)
        /// Notes that the user was online so many seconds ago.
        case wasSeen(on: String, seconds: Int64, isOffline: Bool)
        /// Sets the nick.
        case rename(String)
        case letFind(FindWay, Findability)
        /// Sets the digests of these numbers in place of all of the kind.
        case setContacts([Int], ContactKind)
        case findContacts([Int], ContactKind)
        case write(ReviewedText, String)
        /// Decides about the text of the user's profile that is under review.
        case decide(UserID, ReviewedText, approve: Bool)
        /// Decides about the remark of the second user, in the list of the first one.
        case decideRemark(UserID, of: UserID, approve: Bool)
        case importRow(FriendImport.Row, notify: Bool)
        case allow(AllowType)
        case mayNotSend(Bool)
        /// Refuses signatures of the user that were made before so many seconds from now.
        case endSessions(UserID, seconds: Int64)
        case createGroup(String)
        case deleteGroup(String)
        case renameGroup(String, to: String)
        /// Takes entries of the history back, in this order.
        case undo([UndoTarget])
        /// Keeps an answer under a request id, as a call with such an id does.
        case keepAnswer(String)
    }

    package let actor: UserID
    package let action: Action
    /// The pause after the step before, in milliseconds.
    package var pauseMs: Int64 = 0
    /// Whether the transaction fails at its end.
    package var fails = false

    package init(_ actor: UserID, _ action: Action) {
        self.actor = actor
        self.action = action
    }

    package var description: String {
        "\(actor) \(action)\(fails ? ", which fails" : "")"
    }
}

extension World {
    /// Takes the step, and returns the answer to each of its items.
    ///
    /// The outcomes, with that of a change of the actor's profile, are then in ``outcomes``.
    package func apply(_ step: RelationStep) throws(StorageError) -> [Oracle.Answer] {
        advance(milliseconds: step.pauseMs)
        outcomes = []
        do throws(StorageError) {
            let caller = step.isOfApp ? nil : step.actor
            outcomes = try call(by: caller) { (ledger) throws(StorageError) in
                let done = try World.outcomes(of: step, in: ledger)
                if step.fails { throw StorageError(.conflict, "on purpose") }
                return done
            }
        } catch {
            guard step.fails, error.code == .conflict else { throw error }
        }
        switch step.action {
        case .allow, .mayNotSend: return []
        default: return outcomes.map(\.answer)
        }
    }

    private static func outcomes(
        of step: RelationStep, in ledger: Ledger
    ) throws(StorageError) -> [StepOutcome] {
        let actor = step.actor
        var outcomes: [StepOutcome] = []
        switch step.action {
        case .add(let items, let type, let force):
            for item in items {
                outcomes.append(
                    StepOutcome(
                        try FriendRules.add(
                            item.addition, to: actor, type, force: force, in: ledger)))
            }
        case .respond(let items, let type):
            for item in items {
                outcomes.append(StepOutcome(try respond(to: item, type, by: actor, in: ledger)))
            }
        case .delete(let users, let type):
            for user in users {
                outcomes.append(
                    StepOutcome(try FriendRules.delete(user, from: actor, type, in: ledger)))
            }
        case .update(let user, let remark, let groups):
            var change = FriendItem(user: user)
            (change.values.remark, change.values.groups) = (remark, groups)
            outcomes.append(StepOutcome(try FriendRules.update(change, of: actor, in: ledger)))
        case .mark(let user, let marks):
            outcomes.append(StepOutcome(try mark(user, of: actor, marks, in: ledger)))
        case .subscribe(let users, let type, let seconds):
            let end = ledger.now.milliseconds + seconds * 1_000
            for user in users {
                outcomes.append(
                    StepOutcome(
                        try Subscriptions.subscribe(actor, to: user, type, until: end, in: ledger)))
            }
        case .unsubscribe(let users, let type):
            for user in users {
                outcomes.append(
                    StepOutcome(try Subscriptions.unsubscribe(actor, from: user, type, in: ledger)))
            }
        case .setStatus(let text, let seconds):
            let end = seconds == 0 ? 0 : ledger.now.milliseconds + seconds * 1_000
            let status = StatusRecord(text, until: text.isEmpty ? 0 : end)
            outcomes.append(StepOutcome(try Statuses.set(status, of: actor, in: ledger)))
        case .suspend(let user, let level, let seconds):
            var record = SuspensionRecord()
            record.level = level
            record.endTimeMs = seconds == 0 ? 0 : ledger.now.milliseconds + seconds * 1_000
            outcomes.append(StepOutcome(try Suspensions.suspend(user, record, in: ledger)))
        case .reinstate(let user):
            outcomes.append(StepOutcome(try Suspensions.reinstate(user, in: ledger)))
        case .block, .unblock, .follow, .unfollow, .dismiss, .restore, .report, .resolve,
            .showMail, .showProfile, .wasSeen, .write, .decide, .decideRemark, .endSessions:
            outcomes = try sideOutcomes(of: step, in: ledger)
        case .invite, .accept, .revoke:
            outcomes.append(StepOutcome(try invitationOutcome(of: step, in: ledger)))
        case .rename, .letFind, .setContacts, .findContacts:
            outcomes.append(try findingOutcome(of: step, in: ledger))
        case .undo, .createGroup, .deleteGroup, .renameGroup:
            outcomes = try undoOutcomes(of: step, in: ledger)
        case .importRow(let row, let notify):
            outcomes.append(StepOutcome(try FriendImport.write(row, notify: notify, in: ledger)))
        case .allow, .mayNotSend:
            outcomes.append(StepOutcome(try setProfile(of: actor, step.action, in: ledger)))
        case .keepAnswer(let id):
            try Answers.store(
                Array(id.utf8), under: RequestID(id), digest: [1], of: actor, in: ledger)
        }
        return outcomes
    }

    /// The outcomes of a step about another list than that of friends.
    private static func sideOutcomes(
        of step: RelationStep, in ledger: Ledger
    ) throws(StorageError) -> [StepOutcome] {
        var outcomes: [StepOutcome] = []
        let actor = step.actor
        switch step.action {
        case .block(let users):
            for user in users {
                outcomes.append(StepOutcome(try Blacklist.add(user, to: actor, in: ledger)))
            }
        case .unblock(let users):
            for user in users {
                outcomes.append(StepOutcome(try Blacklist.remove(user, from: actor, in: ledger)))
            }
        case .follow(let users):
            for user in users {
                outcomes.append(StepOutcome(try FollowRules.follow(step.actor, user, in: ledger)))
            }
        case .unfollow(let users):
            for user in users {
                outcomes.append(StepOutcome(try FollowRules.unfollow(step.actor, user, in: ledger)))
            }
        case .dismiss(let users):
            for user in users {
                outcomes.append(
                    StepOutcome(try Dismissals.dismiss(user, for: step.actor, in: ledger)))
            }
        case .restore(let users):
            for user in users {
                outcomes.append(
                    StepOutcome(try Dismissals.restore(user, for: step.actor, in: ledger)))
            }
        case .report(let user):
            var wanted = Reports.Wanted(user)
            wanted.category = .spam
            let outcome = try Reports.report(
                wanted, by: actor, in: ledger, within: RelationStep.reportBounds)
            outcomes.append(StepOutcome(outcome))
        case .resolve(let user):
            let made = try Tables.madeReports.record(
                ledger.partition(of: actor), user, in: ledger.transaction)
            outcomes.append(
                StepOutcome(
                    try Reports.resolve(made?.number ?? 0, .dismissed, note: "", in: ledger)))
        case .showMail(let level, let groups):
            let choice = Profiles.FieldChoice("email", level, groups)
            outcomes.append(
                StepOutcome(try Profiles.choose(nil, [choice], of: actor, in: ledger)))
        case .showProfile(let level):
            outcomes.append(StepOutcome(try Profiles.choose(level, [], of: actor, in: ledger)))
        case .wasSeen(let device, let seconds, let isOffline):
            outcomes.append(
                try noteSeen(actor, on: device, seconds: seconds, isOffline, in: ledger))
        case .endSessions(let user, let seconds):
            let timeMs = ledger.now.milliseconds + seconds * 1_000
            outcomes.append(try endSessions(of: user, before: timeMs, in: ledger))
        case .write(let text, let value):
            outcomes.append(StepOutcome(try write(text, value, of: actor, in: ledger)))
        case .decide(let user, let text, let approve):
            outcomes.append(StepOutcome(try decide(text, of: user, approve, in: ledger)))
        case .decideRemark(let owner, let friend, let approve):
            outcomes.append(
                StepOutcome(try decideRemark(of: friend, by: owner, approve, in: ledger)))
        default: break
        }
        return outcomes
    }

    private static func respond(
        to item: RelationStep.Item, _ type: FriendResponseType, by actor: UserID,
        in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        var answer = ApplicationRules.Answer(to: item.user, type)
        answer.values.remark = item.remark
        answer.values.groups = item.groups
        switch item.meant {
        case .whichever: break
        case .theOneThatWaits:
            let application = try Applications.record(from: item.user, to: actor, in: ledger)
            answer.applicationID = application?.applicationID ?? ""
        case .another: answer.applicationID = "another"
        }
        return try ApplicationRules.respond(answer, of: actor, in: ledger)
    }

    private static func mark(
        _ user: UserID, of owner: UserID, _ marks: RowMarks, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        var change = FriendItem(user: user)
        change.values.apply(marks)
        return try FriendRules.update(change, of: owner, in: ledger)
    }

    private static func write(
        _ text: ReviewedText, _ value: String, of actor: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        var values = ProfileRecord()
        let field: ProfileField
        switch text {
        case .signature:
            field = .selfSignature
            values.selfSignature = value.isEmpty ? nil : Array(value.utf8)
        case .link:
            field = .link
            values.link = value.isEmpty ? nil : value
        }
        let result = try Profiles.update(
            actor, values, fields: [field], expectedVersion: nil, in: ledger)
        switch result {
        case .done(_, let changed): return .done(changing: changed)
        case .reviewsFull: return FriendOutcome(.invalidParameter, Reason.ReviewDecide.full)
        default: throw StorageError(.failed, "\(actor): \(result)")
        }
    }

    private static func decide(
        _ text: ReviewedText, of user: UserID, _ approve: Bool, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let profile = try Profiles.record(of: user, app: ledger.app, in: ledger.transaction)
        let review = profile.reviews.first { $0.field == text.rawValue }
        let number = review.flatMap { ReviewRecord.number(of: $0.reviewID) } ?? .max
        return try Reviews.decide(Reviews.Verdict(number, isApproved: approve), in: ledger)
    }

    private static func decideRemark(
        of friend: UserID, by owner: UserID, _ approve: Bool, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let record = try Tables.friendReviews.record(
            ledger.partition(of: owner), friend, in: ledger.transaction)
        let number = record?.reviews.first?.number ?? .max
        return try Reviews.decide(Reviews.Verdict(number, isApproved: approve), in: ledger)
    }

    private static func setProfile(
        of actor: UserID, _ action: RelationStep.Action, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        var values = ProfileRecord()
        var field = ProfileField.allowType
        if case .allow(let type) = action { values.allowType = type }
        if case .mayNotSend(let isForbidden) = action {
            field = .adminForbidType
            values.adminForbidType = isForbidden ? .sendOut : AdminForbidType.none
        }
        let result = try Profiles.update(
            actor, values, fields: [field], expectedVersion: nil, in: ledger)
        guard case .done(_, let changed) = result else {
            throw StorageError(.failed, "\(actor): \(result)")
        }
        return .done(changing: changed)
    }

    /// Takes the step, and returns a finding if its outcomes do not say whether a row changed.
    ///
    /// An answer that is kept under a request id is not a change.
    ///
    /// - Parameter store: The store of this world.
    package func findings(
        taking step: RelationStep, on store: ComparingStore, _ answers: inout [Oracle.Answer]
    ) throws(StorageError) -> [String] {
        _ = store.take()
        answers = try apply(step)
        let differences = store.take()
        if case .keepAnswer = step.action { return [] }
        guard outcomes.contains(where: \.changed) == differences.isEmpty else { return [] }
        return ["\(outcomes), but these rows differ: \(differences)"]
    }

    /// The state of the store, in the form of the oracle's.
    package func view(of users: [UserID]) throws(StorageError) -> Oracle.View {
        var view = Oracle.View()
        for user in users {
            for (friend, record) in try rows(of: Tables.friends, of: user) {
                var row = Oracle.Row()
                row.remark = record.remark
                row.groups = record.groups
                row.source = record.source
                row.wording = record.wording
                row.marks = RowMarks(record)
                view.rows[Oracle.Pair(user, friend)] = row
            }
            for (friend, record) in try rows(of: Tables.friendReviews, of: user) {
                for review in record.reviews {
                    var found = Oracle.Review()
                    (found.value, found.former) = (review.text, review.formerText)
                    view.remarkReviews[Oracle.Pair(user, friend)] = found
                }
            }
            for (key, record) in try rows(of: Tables.pendencies, of: user)
            where key.type == .sendOut {
                var application = Oracle.Application()
                application.remark = record.remark
                application.groups = record.groups
                application.source = record.source
                application.wording = record.wording
                view.applications[Oracle.Pair(user, key.user)] = application
            }
            for (blocked, _) in try rows(of: Tables.blacklist, of: user) {
                view.blacklist.insert(Oracle.Pair(user, blocked))
            }
            view.groups[user] = try groups(of: user)
            for record in try subscriptions(of: user) {
                let pair = Oracle.Pair(user, UserID(stored: record.userID.utf8))
                view.subscriptions[pair, default: [:]][record.subscribeType] = record.expireTimeMs
            }
            for (other, _) in try rows(of: Tables.follows, of: user) {
                view.follows.insert(Oracle.Pair(user, other))
            }
            for (other, _) in try rows(of: Tables.dismissals, of: user) {
                view.dismissals.insert(Oracle.Pair(user, other))
            }
            for (id, record) in try rows(of: Tables.invitations, of: user) {
                view.invitations[user, default: [:]][id.text] = record
            }
            view.statuses[user] = try rows(of: Tables.statuses, of: user).first?.record
            view.suspensions[user] = try rows(of: Tables.suspensions, of: user).first?.record
            for (_, record) in try rows(of: Tables.reports, of: user) {
                let reporter = UserID(stored: record.reporterUserID.utf8)
                let pair = Oracle.Pair(reporter, user)
                view.reports[pair] = record.count
                if !record.isOpen { view.closedReports.insert(pair) }
            }
            view.mailLevels[user] = try storedProfile(of: user).fieldChoices.chosen.first?
                .visibility
            try addFinding(of: user, to: &view)
            try addProfile(of: user, to: &view)
        }
        try addSessions(to: &view)
        return view
    }

    /// Adds the reviewed texts of a profile, and those under review.
    private func addProfile(
        of user: UserID, to view: inout Oracle.View
    ) throws(StorageError) {
        let profile = try storedProfile(of: user)
        if let signature = profile.selfSignature {
            view.texts[user, default: [:]]["self_signature"] = String(
                decoding: signature, as: UTF8.self)
        }
        if let link = profile.link { view.texts[user, default: [:]]["link"] = link }
        if profile.visibility != .notSet { view.profileLevels[user] = profile.visibility }
        if let timeMs = try userRecord(of: user)?.lastSeenMs, timeMs > 0 {
            view.lastSeen[user] = timeMs
        }
        for (_, record) in try rows(of: Tables.seenDevices, of: user) {
            for device in record.devices {
                view.seenDevices[user, default: [:]][device.deviceID] = device.seenMs
            }
        }
        for record in profile.reviews {
            var review = Oracle.Review()
            (review.value, review.former) = (record.text, record.formerText)
            view.reviews[user, default: [:]][record.field] = review
        }
    }
}

extension Oracle {
    /// Returns the answer that each item of `step` must get at `now`, and changes the oracle as the
    /// store must change.
    package mutating func apply(_ step: RelationStep, at now: Timestamp) -> [Answer] {
        var after = self
        let nowMs = now.milliseconds
        after.endSubscriptions(at: nowMs)
        let answers = after.apply(step, nowMs, day: nowMs / 86_400_000)
        guard !step.fails else {
            endSubscriptions(at: nowMs)
            return []
        }
        after.noteHistory(of: step, answers, since: self, nowMs)
        self = after
        return answers
    }

    private mutating func apply(_ step: RelationStep, _ nowMs: Int64, day: Int64) -> [Answer] {
        let actor = step.actor
        var answers: [Answer] = []
        switch step.action {
        case .add(let items, let type, let force):
            for item in items {
                let (line, answer) = add(
                    item, to: actor, both: type == .both, force: force, day: day, nowMs: nowMs)
                linesSeen[line, default: 0] += 1
                answers.append(answer)
            }
        case .respond(let items, let type):
            for item in items { answers.append(respond(item, of: actor, type, nowMs)) }
        case .delete(let users, let type):
            for user in users { answers.append(delete(user, from: actor, both: type == .both)) }
        case .update(let user, let remark, let groups):
            answers.append(update(user, of: actor, remark: remark, groups: groups))
        case .mark(let user, let marks): answers.append(mark(user, of: actor, marks))
        case .block(let users):
            for user in users { answers.append(block(user, by: actor, nowMs)) }
        case .unblock(let users):
            for user in users { answers.append(unblock(user, by: actor)) }
        case .subscribe(let users, let type, let seconds):
            for user in users {
                answers.append(subscribe(actor, to: user, type, until: nowMs + seconds * 1_000))
            }
        case .unsubscribe(let users, let type):
            for user in users { answers.append(unsubscribe(actor, from: user, type)) }
        case .follow(let users):
            for user in users { answers.append(follow(actor, user, nowMs)) }
        case .unfollow(let users):
            for user in users { answers.append(unfollow(actor, user)) }
        case .dismiss(let users):
            for user in users { answers.append(dismiss(user, for: actor)) }
        case .restore(let users):
            for user in users { answers.append(restore(user, for: actor)) }
        case .invite, .accept, .revoke:
            answers.append(takeInvitation(step, nowMs, day: day))
        case .rename, .letFind, .setContacts, .findContacts:
            answers.append(takeFinding(step, nowMs))
        case .undo, .createGroup, .deleteGroup, .renameGroup: answers = takeUndo(step, nowMs)
        case .setStatus, .suspend, .reinstate, .report, .resolve, .showMail, .showProfile,
            .wasSeen, .endSessions:
            answers.append(takeAlone(step, nowMs))
        case .write(let text, let value): answers.append(write(text, value, of: actor))
        case .decide(let user, let text, let approve):
            answers.append(decide(text, of: user, approve: approve))
        case .decideRemark(let owner, let friend, let approve):
            answers.append(decideRemark(of: friend, by: owner, approve: approve))
        case .importRow(let row, _):
            answers.append(
                importRow(
                    row.friend, of: row.owner, bothWays: row.bothWays, remark: row.values.remark,
                    groups: row.values.groups, source: row.values.source,
                    wording: row.values.wording, marks: row.values))
        case .allow(let type): allowTypes[actor] = type
        case .mayNotSend(let isForbidden):
            if isForbidden { mayNotSend.insert(actor) } else { mayNotSend.remove(actor) }
        case .keepAnswer: break
        }
        return answers
    }

    /// Takes a step that is about one user, or about no other.
    private mutating func takeAlone(_ step: RelationStep, _ nowMs: Int64) -> Answer {
        let actor = step.actor
        switch step.action {
        case .setStatus(let text, let seconds):
            return setStatus(text, of: actor, until: seconds, nowMs)
        case .suspend(let user, let level, let seconds):
            return suspend(user, level, seconds: seconds, nowMs)
        case .reinstate(let user): return reinstate(user, nowMs)
        case .endSessions(let user, let seconds):
            return endSessions(of: user, before: nowMs + seconds * 1_000)
        case .report(let user): return report(user, by: actor, nowMs)
        case .resolve(let user): return resolve(user, by: actor)
        case .showMail(let level, let groups): return showMail(of: actor, level, groups)
        case .showProfile(let level): return showProfile(of: actor, level)
        case .wasSeen(let device, let seconds, let isOffline):
            return noteSeen(actor, on: device, at: nowMs - seconds * 1_000, isOffline)
        default: preconditionFailure("the step is about several users")
        }
    }
}

/// The outcome of one item of a step, whatever the table of its codes is.
package struct StepOutcome: Sendable {
    let answer: Oracle.Answer
    package let changed: Bool

    /// The reason counts only where several reasons share the code.
    init<Code>(_ outcome: Outcome<Code>) {
        let number = outcome.code.rawValue
        let isShared = [FriendStatus.invalidParameter, .addRestricted].map(\.rawValue)
            .contains(number)
        answer = Oracle.Answer(number, isShared ? outcome.reason.info.description : "")
        changed = outcome.changed
    }
}

extension RelationStep.Item {
    var addition: FriendItem {
        var addition = FriendItem(user: user)
        addition.values.remark = remark
        addition.values.wording = wording
        addition.values.source = source
        addition.values.groups = groups
        return addition
    }
}
