package import Protobuf
package import RelationAPI
package import RelationCalls
package import RelationCore
package import RelationModel
package import Storage

/// A wish of a data folder's owner about the keys of its operators.
///
/// It is asked on the machine of the data and not by a call. A person who can read a server's
/// folder needs no permission from the server.
package struct OwnerRequest: CodedMessage, Equatable {
    /// The wish of the owner of the data folder.
    package enum Action: UInt32 {
        /// Make the first key; refused if there is one.
        case first = 1
        /// Make a key beside those that there are.
        case add
        case list
        case end
        /// End all keys, and make one in their place.
        case replace
    }

    /// The number of an ``Action``; a newer program may have others.
    package var action: UInt32 = 0
    /// The name of the key to make.
    package var name = ""
    /// The last moment at which the key to make is good; 0 for ever.
    package var expiresMs: Int64 = 0
    /// The id of the key to end.
    package var keyID = ""

    package init() {}

    package init(_ action: Action, name: String = "", expiresMs: Int64 = 0, keyID: String = "") {
        self.action = action.rawValue
        self.name = name
        self.expiresMs = expiresMs
        self.keyID = keyID
    }

    package static let schema = Schema("relation.owner.Request", OwnerRequest.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "action", &action)
        visitor.field(2, "name", &name)
        visitor.field(3, "expires_ms", &expiresMs)
        visitor.field(4, "key_id", &keyID)
    }
}

/// The answer to an ``OwnerRequest``.
package struct OwnerAnswer: CodedMessage, Equatable {
    /// Why nothing was done; empty if it was.
    package var refusal = ""
    /// Whether it is unknown if the change was written.
    package var isUnknown = false
    /// The new key, of which the store has only a digest.
    package var key = ""
    package var keys: [OperatorKey] = []

    package init() {}

    package init(refusal: String) {
        self.refusal = refusal
    }

    package static let schema = Schema("relation.owner.Answer", OwnerAnswer.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "refusal", &refusal)
        visitor.field(2, "is_unknown", &isUnknown)
        visitor.secret(3, "key", &key)
        visitor.field(4, "keys", &keys)
    }
}

extension OwnerRequest {
    /// The name of a key for which none is given.
    package static let usualName = "operator"

    /// Whether a key is made, unless that is refused.
    private var makesKey: Bool {
        switch Action(rawValue: action) {
        case .first, .add, .replace: true
        case .list, .end, nil: false
        }
    }

    /// The name of the change in an audit; nil if nothing is to change.
    package var auditedName: String? {
        switch Action(rawValue: action) {
        case .first, .add: "owner/add"
        case .end: "owner/end"
        case .replace: "owner/replace"
        case .list, nil: nil
        }
    }

    /// The key to store, if one is made.
    package func newKey(at now: Timestamp, _ randomness: Randomness = .system) -> NewOperatorKey {
        NewOperatorKey(
            name.isEmpty ? Self.usualName : name, expiresMs: expiresMs, at: now, randomness)
    }

    /// Does what is asked, in a transaction of the registry.
    ///
    /// - Parameter key: The one that ``newKey(at:_:)`` made.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package func answer(
        with key: NewOperatorKey, in ledger: Ledger
    ) throws(StorageError) -> OwnerAnswer {
        var answer = OwnerAnswer()
        switch Action(rawValue: action) {
        case .first:
            guard try OperatorKeyRules.list(in: ledger).isEmpty else {
                return OwnerAnswer(
                    refusal: "there is an operator's key; --add-key NAME makes another, and "
                        + "--replace-key ends all and makes another")
            }
            return try add(key, in: ledger)
        case .add: return try add(key, in: ledger)
        case .list:
            answer.keys = try OperatorKeyRules.list(in: ledger)
                .map { OperatorKey($0.id, $0.record) }
        case .end:
            switch try OperatorKeyRules.revoke(CredentialID(keyID), in: ledger) {
            case .done: break
            case .unknown: answer.refusal = "there is no operator's key \(keyID.echoed(atMost: 64))"
            case .last:
                answer.refusal =
                    "\(keyID) is the last operator's key that is good for ever; make another one "
                    + "with --add-key NAME before"
            }
        case .replace:
            try OperatorKeyRules.replaceAll(by: key.id, key.record, in: ledger)
            answer.key = key.text
        case nil: answer.refusal = "the server does not know this request: it is of another version"
        }
        return answer
    }

    private func add(
        _ key: NewOperatorKey, in ledger: Ledger
    ) throws(StorageError) -> OwnerAnswer {
        guard key.record.name.utf8.count <= Limits.appNameBytes else {
            return OwnerAnswer(
                refusal: "the name of a key has at most \(Limits.appNameBytes) bytes")
        }
        guard expiresMs == 0 || expiresMs > ledger.now.milliseconds else {
            return OwnerAnswer(refusal: "the key would be at its end when it is made")
        }
        guard try OperatorKeyRules.create(key.id, key.record, in: ledger) else {
            return OwnerAnswer(
                refusal: "there are \(Limits.operatorKeys) operators' keys, and may be no more; "
                    + "end one with --end-key ID")
        }
        var answer = OwnerAnswer()
        answer.key = key.text
        return answer
    }

    /// Does what is asked of a store that no server of this machine has open; makes the registry of
    /// apps if there is none.
    ///
    /// Servers that share the store have heard of it when this returns.
    ///
    /// - Parameter keeping: Gets the key that is made before the store does. If it throws, nothing
    ///   is written.
    package func answer(
        in store: any Store, at now: Timestamp, randomness: Randomness = .system,
        keeping: (_ key: String) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> OwnerAnswer {
        _ = try Apps(of: store, at: now)
        let key = newKey(at: now, randomness)
        if makesKey { try keeping(key.text) }
        // It names no partition: whatever it changes, no other server writes meanwhile.
        let (answer, version) = try store.write(touching: []) {
            (transaction) throws(StorageError) -> (OwnerAnswer, Int64?) in
            let ledger = Ledger(
                app: .registry, now: now, origin: Origin(user: nil), transaction: transaction)
            let answer = try self.answer(with: key, in: ledger)
            try ledger.close()
            let notifies = store.peers != nil && !ledger.credentialChanges.isEmpty
            return (answer, notifies ? try AppRules.renew(in: transaction) : nil)
        }
        if let version { store.peers?.settle(version, byThisProcessToo: false) }
        return answer
    }
}
