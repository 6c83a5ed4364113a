/// The settings of one call, where they differ from those of the client.
///
/// ```swift
/// let options = CallOptions(timeout: .seconds(2), metadata: ["x-request-source": "inbox"])
/// let answer = try await client.call(FriendMethods.checkFriends, request, options: options)
/// ```
public struct CallOptions: Sendable, Equatable {
    /// How long the call may take, with all its attempts and waits.
    ///
    /// Nil means ``ClientOptions/timeout`` for a call of one message each way, and no limit for a
    /// stream.
    public var timeout: Duration?
    /// Whether the call waits for a server that cannot be reached, as long as its timeout allows.
    ///
    /// Nil means ``ClientOptions/waitsForReady``.
    public var waitsForReady: Bool?
    /// Metadata to send with the call.
    ///
    /// A name that the client sends too, such as `x-app-id`, has the value that is given here.
    public var metadata: CallMetadata
    /// Whether the call may be made again after an error, as ``ClientOptions/retries`` says.
    public var retries: Bool
    /// The trace that the call belongs to, which goes with each attempt; nil for none.
    ///
    /// A `traceparent` in ``metadata`` replaces it, such as that of a ``TracingInterceptor``.
    public var trace: TraceContext?

    /// Creates the settings of a call; those that are left out are the client's.
    public init(
        timeout: Duration? = nil, waitsForReady: Bool? = nil, metadata: CallMetadata = [:],
        retries: Bool = true, trace: TraceContext? = nil
    ) {
        self.timeout = timeout
        self.waitsForReady = waitsForReady
        self.metadata = metadata
        self.retries = retries
        self.trace = trace
    }
}

/// Names and texts that are sent beside the messages of a call, in their order.
///
/// A name has lower-case letters, digits, and the characters `_`, `.` and `-`. It does not begin
/// with `grpc-` and does not end in `-bin`. A value is printable ASCII. A call with other metadata
/// fails with INVALID_ARGUMENT, and is not sent.
public struct CallMetadata: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One name and its value.
    ///
    /// A text of it never has the value of a name that identifies the caller.
    public struct Entry: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The name, in lower case.
        public var name: String
        /// The value.
        public var value: String

        /// Creates an entry.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Words in the names of secrets.
        private static let secrets = [
            "auth", "cookie", "token", "key", "secret", "password", "sig",
        ]

        /// The name and the value, which is hidden if the name is that of a secret.
        public var description: String {
            let isSecret = Self.secrets.contains { name.lowercased().contains($0) }
            return "\(name): \(isSecret ? "hidden" : value)"
        }

        /// The description, without parts.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// The entries; a name may occur several times.
    public private(set) var entries: [Entry] = []

    /// Creates metadata without entries.
    public init() {}

    /// Creates metadata of these names and values.
    public init(dictionaryLiteral elements: (String, String)...) {
        entries = elements.map { Entry(name: $0, value: $1) }
    }

    /// Whether there is no entry.
    public var isEmpty: Bool { entries.isEmpty }

    /// Adds an entry after the others.
    public mutating func append(_ name: String, _ value: String) {
        entries.append(Entry(name: name, value: value))
    }

    /// The first value of a name; to set it replaces all values of the name.
    public subscript(name: String) -> String? {
        get { entries.first { $0.name == name }?.value }
        set {
            entries.removeAll { $0.name == name }
            if let newValue { append(name, newValue) }
        }
    }
}
