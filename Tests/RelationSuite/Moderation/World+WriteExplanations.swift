package import RelationCore
package import RelationModel
import Storage

extension World {
    /// Where the explanation of an addition, a follow, a block or an answer to an application
    /// says something else than the rule, which is run and taken back, or does not end at one rung.
    package func writeExplanationFindings(
        by caller: UserID, about other: UserID
    ) throws(StorageError) -> [String] {
        let isThere = try read { (transaction) throws(StorageError) in
            try Accounts.exists(caller, of: app, in: transaction)
        }
        guard isThere else { return [] }
        var findings: [String] = []
        for isOwn in [false, true] {
            for (type, force) in [(AddType.both, false), (.single, false), (.both, !isOwn)] {
                let explained = try explainAdd(
                    other, to: caller, type, force: force, isOwn: isOwn)
                let answer = try tried(by: caller, .init(isOwn, force)) {
                    (ledger) throws(StorageError) in
                    try FriendRules.add(
                        FriendItem(user: other), to: caller, type, force: force, in: ledger)
                }
                findings += Self.difference(
                    explained, answer, isSuspended: Reason.Suspended.friendAddOneself,
                    "\(caller) adds \(other), \(type), force \(force), own \(isOwn)")
            }
            let explained = try explainFollow(caller, other, isOwn: isOwn)
            let answer = try tried(by: caller, .init(isOwn, false)) {
                (ledger) throws(StorageError) in
                try FollowRules.follow(caller, other, in: ledger)
            }
            findings += Self.difference(
                explained, answer, isSuspended: Reason.Suspended.followAddOneself,
                "\(caller) follows \(other), own \(isOwn)")
        }
        let explained = try explainBlock(other, by: caller)
        let answer = try tried(by: caller, Way(false, true)) { (ledger) throws(StorageError) in
            try Blacklist.add(other, to: caller, in: ledger)
        }
        findings += Self.difference(
            explained, answer, isSuspended: Reason.Suspended.blacklistAddOneself,
            "\(caller) blocks \(other)")
        for type in [FriendResponseType.agree, .agreeAndAdd, .reject] {
            let explained = try explainResponse(other, by: caller, type)
            let answer = try tried(by: caller, Way(false, true)) {
                (ledger) throws(StorageError) in
                try ApplicationRules.respond(.init(to: other, type), of: caller, in: ledger)
            }
            findings += Self.difference(
                explained, answer, isSuspended: Reason.Suspended.friendResponseOneself,
                "\(caller) answers \(other), \(type)")
        }
        return findings
    }

    package func explainResponse(
        _ applicant: UserID?, by responder: UserID, _ type: FriendResponseType = .agreeAndAdd,
        id: String = "", isOwn: Bool = false
    ) throws(StorageError) -> Explanation<FriendOutcome> {
        try read { (transaction) throws(StorageError) in
            try ApplicationRules.explainResponse(
                type, to: applicant, id: id, of: responder, isOwn: isOwn, at: now, app: app,
                in: transaction)
        }
    }

    package func explainUse(
        _ number: Int, by user: UserID, isOwn: Bool = false
    ) throws(StorageError) -> Invitations.ExplainedUse {
        try read { (transaction) throws(StorageError) in
            try Invitations.explain(
                Self.invitation(number), by: user, isOwn: isOwn, at: now, app: app,
                in: transaction)
        }
    }

    package func explainBlock(
        _ user: UserID?, by owner: UserID, isOwn: Bool = false
    ) throws(StorageError) -> Explanation<FriendOutcome> {
        try read { (transaction) throws(StorageError) in
            try Blacklist.explainAdd(
                user, to: owner, isOwn: isOwn, at: now, app: app, in: transaction)
        }
    }

    package func explainAdd(
        _ other: UserID?, to owner: UserID, _ type: AddType = .both, force: Bool = false,
        isOwn: Bool = false
    ) throws(StorageError) -> Explanation<FriendOutcome> {
        try read { (transaction) throws(StorageError) in
            try FriendRules.explainAdd(
                other, to: owner, type, force: force, isOwn: isOwn, at: now, app: app,
                in: transaction)
        }
    }

    package func explainFollow(
        _ owner: UserID, _ user: UserID?, isOwn: Bool = false
    ) throws(StorageError) -> Explanation<FollowOutcome> {
        try read { (transaction) throws(StorageError) in
            try FollowRules.explain(
                owner, user, isOwn: isOwn, at: now, app: app, in: transaction)
        }
    }

    /// The way in which a call is made.
    private struct Way {
        let isOwn: Bool
        let isForced: Bool

        init(_ isOwn: Bool, _ isForced: Bool) {
            (self.isOwn, self.isForced) = (isOwn, isForced)
        }
    }

    /// The answer of a rule whose changes are taken back; nil if a suspension of the caller forbids
    /// the call.
    ///
    /// The caches hear nothing of it.
    private func tried<Code>(
        by caller: UserID, _ way: Way,
        _ rule: (Ledger) throws(StorageError) -> Outcome<Code>
    ) throws(StorageError) -> Outcome<Code>? {
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: app, now: now, origin: Origin(user: caller), transaction: transaction)
            if way.isOwn { ledger.blocks = .last }
            let level = try ledger.userRecord(of: caller)?.suspension(at: now) ?? .unspecified
            guard way.isForced || !level.forbids(.reach) else { return nil }
            let savepoint = ledger.savepoint()
            let answer = try rule(ledger)
            ledger.rollback(to: savepoint)
            return answer
        }
    }

    private static func difference<Code>(
        _ explained: Explanation<Outcome<Code>>, _ answer: Outcome<Code>?, isSuspended: Reason,
        _ call: String
    ) -> [String] {
        let deciding = explained.rungs.filter(\.decided).map(\.kind)
        let reason = explained.answer.reason
        let agrees = answer.map { $0.code == explained.answer.code && $0.reason == reason }
        let passes = answer.map { $0.isAcceptable && $0.changed } ?? false
        guard agrees ?? (reason == isSuspended), deciding.count == 1,
            explained.rungs.last?.decided == true, passes == (deciding == [.write])
        else {
            return ["\(call): \(answer as Any), explained as \(explained.answer) by \(deciding)"]
        }
        return []
    }
}
