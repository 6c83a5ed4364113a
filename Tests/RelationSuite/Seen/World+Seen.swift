import Memory
import Protobuf
package import RelationCore
package import RelationModel
import Storage

extension World {
    /// The outcome of a step that notes that a user was online.
    static func noteSeen(
        _ user: UserID, on device: String, seconds: Int64, _ isOffline: Bool, in ledger: Ledger
    ) throws(StorageError) -> StepOutcome {
        func stored() throws(StorageError) -> ([SeenDevice], Int64?) {
            let devices = try LastSeen.devices(
                of: [user], app: ledger.app, in: ledger.transaction)
            return (devices[0], try ledger.userRecord(of: user)?.lastSeenMs)
        }
        let before = try stored()
        let seen = SeenDevice(
            device, platform: "ios", seenMs: ledger.now.milliseconds - seconds * 1_000)
        try LastSeen.note(user, on: seen, isOffline: isOffline, in: ledger)
        return StepOutcome(FriendOutcome.done(changing: try before != stored()))
    }

    /// Whether `viewer` sees the profile of `owner` as a whole.
    package func shows(_ owner: UserID, to viewer: UserID) throws(StorageError) -> Bool {
        try read { (transaction) throws(StorageError) in
            try Profiles.visible([owner], by: viewer, isAdmin: false, app: app, in: transaction)[0]?
                .view.isOpen ?? false
        }
    }

    /// Whether `viewer` learns nothing of the presence of `owner`.
    package func hidesPresence(
        _ owner: UserID, from viewer: UserID
    ) throws(StorageError) -> Bool {
        try read { (transaction) throws(StorageError) in
            try PresenceRules.areHidden([owner], from: viewer, app: app, in: transaction)[0]
        }
    }

    /// Whether `sender` may send to each of `receivers`, read without the cache.
    package func sending(
        from sender: UserID, to receivers: [UserID]
    ) throws(StorageError) -> [Oracle.Sending] {
        var answers: [Oracle.Sending] = []
        try read { (transaction) throws(StorageError) in
            try Arena.temporary { (arena) throws(StorageError) in
                let names = receivers.map { arena.text($0.text) ?? Text() }
                try names.withUnsafeBufferPointer { (names) throws(StorageError) in
                    _ = try SendRules.check(
                        from: sender, to: names, at: now, app: app, asking: nil, in: transaction,
                        arena
                    ) { answers.append(Oracle.Sending($0)) }
                }
            }
        }
        return answers
    }

    /// The users that are suggested to `owner`, read without the cache.
    package func suggested(to owner: UserID) throws(StorageError) -> [Oracle.Suggested] {
        try read { (transaction) throws(StorageError) in
            try FriendSuggestions(
                to: owner, isAdmin: false, at: now, app: app, in: transaction
            ).suggestions.map { Oracle.Suggested(user: $0.user, common: $0.named) }
        }
    }

    /// The findings about what one user sees of all, and what it may do.
    package func seenFindings(
        of user: UserID, _ users: [UserID], _ oracle: Oracle
    ) throws(StorageError) -> [String] {
        var findings: [String] = []
        func expect<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) {
            if found != wanted { findings.append("\(user) \(what): \(found), not \(wanted)") }
        }
        for owner in users {
            expect(try shows(owner, to: user), oracle.shows(owner, to: user), "sees \(owner)")
            expect(
                try hidesPresence(owner, from: user), oracle.hidesPresence(owner, from: user),
                "does not learn of the presence of \(owner)")
        }
        let receivers = users + [RelationHistory.ghost]
        let wanted = receivers.map { oracle.sending(from: user, to: $0, at: now) }
        expect(try sending(from: user, to: receivers), wanted, "sends to \(receivers)")
        expect(try suggested(to: user), oracle.suggested(to: user, at: now), "is suggested")
        return findings
    }
}

extension Oracle.Sending {
    init(_ answer: SendRules.Answer) {
        self.init(
            code: answer.code.rawValue,
            isMuted: [.muted, .mutedAndIgnored].contains(answer),
            isIgnored: [.ignored, .mutedAndIgnored].contains(answer))
    }
}
