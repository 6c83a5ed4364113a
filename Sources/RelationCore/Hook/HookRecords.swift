import Memory
package import Protobuf
package import RelationModel
import Storage

/// A hook, as its app's record keeps it.
package struct HookRecord: CodedMessage, Equatable {
    package var id = ""
    package var name = ""
    package var url = ""
    /// The kinds that it gets; none means all.
    package var kinds: [ChangeKind] = []
    package var form = HookForm.cloudEvents
    package var batchSize: Int32 = 1
    package var usersOnly = false
    package var isPaused = false
    package var createdMs: Int64 = 0
    /// The secrets that sign its requests, the newest first: at most
    /// ``Limits/hookSecrets``.
    package var secrets: [SecretRecord] = []
    /// Counts the changes after which the server that delivers reads its events again.
    package var revision: Int64 = 0
    /// The kinds of calls that it is asked about, in the order of their numbers.
    package var asks: [HookQuestion] = []
    package var silence = HookSilence.unspecified
    /// How long it is waited for; 0 is the usual time.
    package var askTimeoutMs: Int64 = 0
    /// Whether it gets no events.
    package var asksOnly = false

    package init() {}

    package static let schema = Schema("relation.store.Hook", HookRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "id", &id)
        visitor.field(2, "name", &name)
        visitor.field(3, "url", &url)
        visitor.field(4, "kinds", &kinds)
        visitor.field(5, "form", &form)
        visitor.field(6, "batch_size", &batchSize)
        visitor.field(7, "users_only", &usersOnly)
        visitor.field(8, "is_paused", &isPaused)
        visitor.field(9, "created_ms", &createdMs)
        visitor.field(10, "secrets", &secrets)
        visitor.field(11, "revision", &revision)
        visitor.field(20, "asks", &asks)
        visitor.field(21, "silence", &silence)
        visitor.field(22, "ask_timeout_ms", &askTimeoutMs)
        visitor.field(23, "asks_only", &asksOnly)
    }
}

/// How far a hook has come, in a row that the server writes which delivers for it.
package struct HookProgressRecord: CodedMessage, Equatable {
    /// All events up to this position of the app's feed were delivered.
    package var position: Int64 = 0
    /// The history of the app to which the position belongs.
    package var historyID: UInt64 = 0
    /// Counts the times that the hook was taken, or sent elsewhere: a server writes only what
    /// belongs to the round in which it took the hook.
    package var round: Int64 = 0
    /// The server that delivers for the hook; empty if none does.
    package var holder = ""
    /// Until when no other server takes the hook.
    package var leaseUntilMs: Int64 = 0
    /// When a request was confirmed last; 0 if none was.
    package var deliveredMs: Int64 = 0
    /// Since when requests fail; 0 if the last one was confirmed.
    package var failingSinceMs: Int64 = 0
    /// When the server stopped the hook; 0 if it has not.
    package var stoppedMs: Int64 = 0
    /// The number of the last failure.
    package var failures: Int64 = 0
    /// Ranges of positions above ``position`` whose events were delivered too: the first and the
    /// last of each, in ascending order.
    package var later: [Int64] = []
    /// When the hook was tested last; 0 if it never was.
    package var testedMs: Int64 = 0
    /// Since when the first events of users fail whose events the receiver does not take: the
    /// position of each and the time, in ascending order of positions.
    package var failing: [Int64] = []
    /// When a server last wrote how far it has come.
    ///
    /// Times in ``failing`` go on from there when the next server takes the hook.
    package var storedMs: Int64 = 0
    /// How long requests have failed since ``failingSinceMs``, without the times in which no server
    /// made any.
    package var failingForMs: Int64 = 0
    /// Counts the erasures in the app: a server that knows another number may have events in memory
    /// that are gone from the feed.
    package var erasures: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.HookProgress", HookProgressRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "position", &position)
        visitor.field(2, "history_id", &historyID)
        visitor.field(3, "round", &round)
        visitor.field(4, "holder", &holder)
        visitor.field(5, "lease_until_ms", &leaseUntilMs)
        visitor.field(6, "delivered_ms", &deliveredMs)
        visitor.field(7, "failing_since_ms", &failingSinceMs)
        visitor.field(8, "stopped_ms", &stoppedMs)
        visitor.field(9, "failures", &failures)
        visitor.field(10, "later", &later)
        visitor.field(11, "tested_ms", &testedMs)
        visitor.field(12, "failing", &failing)
        visitor.field(30, "stored_ms", &storedMs)
        visitor.field(31, "failing_for_ms", &failingForMs)
        visitor.field(110, "erasures", &erasures)
    }
}

/// A failed request of a hook.
package struct HookFailureRecord: CodedMessage, Equatable {
    package var timeMs: Int64 = 0
    /// The user in whose log the events are; empty if they are of several users.
    package var userID = ""
    package var events: Int32 = 0
    package var eventID = ""
    package var attempt: Int32 = 0
    /// The status of the answer; 0 if there was none.
    package var status: Int32 = 0
    package var cause = ""
    /// Whether the first event is not sent again.
    package var givenUp = false
    /// The position before all of its events, in the history of that number; 0 of none.
    package var afterPosition: Int64 = 0
    package var historyID: UInt64 = 0

    package init() {}

    package static let schema = Schema("relation.store.HookFailure", HookFailureRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "time_ms", &timeMs)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "events", &events)
        visitor.field(4, "event_id", &eventID)
        visitor.field(5, "attempt", &attempt)
        visitor.field(6, "status", &status)
        visitor.field(7, "cause", &cause)
        visitor.field(8, "given_up", &givenUp)
        visitor.field(9, "after_position", &afterPosition)
        visitor.field(10, "history_id", &historyID)
    }
}

/// The id of a hook: 16 letters and digits that the server chose.
package struct HookID: TextKey, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The bytes of each id.
    package static let byteCount = 16
}

/// The row key of a failure: the hook, and the number of the failure.
package struct HookFailureKey: RowKey, Hashable {
    package let hook: HookID
    package let number: Int64

    package init(_ hook: HookID, _ number: Int64) {
        self.hook = hook
        self.number = number
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 8 else { return nil }
        let end = bytes.count - 8
        let number = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self))
        self.init(
            HookID(String(decoding: bytes[..<end], as: UTF8.self)), Int64(bitPattern: number))
    }

    package func append(to bytes: inout [UInt8]) {
        hook.append(to: &bytes)
        bytes.append(bigEndian: UInt64(bitPattern: number))
    }
}
