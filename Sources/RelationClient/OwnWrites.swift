internal import Protobuf
internal import RelationAPI
internal import Synchronization

/// The sequences in the answers to a client's writes and in the messages of its streams, for reads
/// that must see them.
///
/// A read for a user names the greatest sequence of that user. If the client has none, it names the
/// write that was answered last: who shows it shows all that was committed before. A sequence is
/// forgotten when no server answers from a time before it.
final class OwnWrites: Sendable {
    /// How long a sequence is named: no setting of a server lets an answer be older.
    static let life = Duration.seconds(60)
    /// Users whose sequences are remembered; of more, those of the latest half stay.
    static let mostUsers = 1_024

    /// A user of an app, as requests name it; the app is empty for the client's own.
    private struct Key: Hashable {
        let app: String
        let user: String
    }

    /// A user's sequence that a read must see.
    struct Token: Equatable {
        let user: String
        let sequence: Int64
        let time: Duration
    }

    private struct State {
        /// The sequences that came lately, and those before.
        var young: [Key: Token] = [:]
        var old: [Key: Token] = [:]
        /// The write that was answered last, by the app.
        var last: [String: Token] = [:]

        mutating func note(_ token: Token, _ key: Key) {
            if let known = young[key] ?? old[key], known.sequence > token.sequence { return }
            if young[key] == nil, young.count >= OwnWrites.mostUsers / 2 {
                (young, old) = ([:], young)
            }
            young[key] = token
        }
    }

    private let state = Mutex(State())
    private let clock: ClientClock

    init(_ clock: ClientClock) {
        self.clock = clock
    }

    /// The number of users whose sequences are remembered.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// Takes the answer of a write.
    func note(_ answer: any WriteAnswer, of request: some Message, _ options: CallOptions) {
        guard answer.sequence > 0, let write = request as? any WriteRequest else { return }
        let app = Self.app(options.metadata)
        let token = Token(user: write.userID, sequence: answer.sequence, time: clock.now)
        state.withLock { state in
            state.note(token, Key(app: app, user: write.userID))
            if state.last.count >= Self.mostUsers { state.last = [:] }
            state.last[app] = token
        }
    }

    /// Takes an event of a stream of the client's own app.
    func note(_ message: WatchResponse, _ metadata: CallMetadata) {
        guard let event = message.event, event.sequence > 0, !event.userID.isEmpty else { return }
        let token = Token(user: event.userID, sequence: event.sequence, time: clock.now)
        let key = Key(app: Self.app(metadata), user: event.userID)
        state.withLock { $0.note(token, key) }
    }

    /// The sequence that the read must see.
    ///
    /// - Returns: Nil if the read names one by itself or acts for no user, or if none is known.
    func token(for request: some Message, _ options: CallOptions) -> Token? {
        guard let read = request as? any ReadRequest, type(of: read).actsForUser,
            !read.actsForApp, read.options?.minSequence == nil
        else { return nil }
        let app = Self.app(options.metadata)
        let key = Key(app: app, user: read.actingUser)
        let token = state.withLock { state in
            state.young[key] ?? state.old[key] ?? state.last[app]
        }
        guard let token, clock.now - token.time < Self.life else { return nil }
        // An empty id is that of the acting user, who may be another one here.
        return token.user.isEmpty && !key.user.isEmpty ? nil : token
    }

    /// Forgets all sequences: the server has not issued one of them.
    func forget() {
        state.withLock { $0 = State() }
    }

    private static func app(_ metadata: CallMetadata) -> String { metadata["x-app-id"] ?? "" }
}

extension OwnWrites.Token {
    /// Adds the sequence after an encoded read.
    ///
    /// Every read has its `ReadOptions` in field 2, which a test checks. A second appearance of the
    /// field is merged into the first.
    func append(to request: inout [UInt8]) {
        var least: [UInt8] = []
        if !user.isEmpty {
            least.append(0x0A)
            Self.append(UInt64(user.utf8.count), to: &least)
            least += user.utf8
        }
        least.append(0x10)
        Self.append(UInt64(bitPattern: sequence), to: &least)
        var options: [UInt8] = [0x0A]
        Self.append(UInt64(least.count), to: &options)
        request.append(0x12)
        Self.append(UInt64(options.count + least.count), to: &request)
        request += options
        request += least
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
