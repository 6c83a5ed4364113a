import GRPCWire
import HTTP2
import RPC

/// All that a call has while a stream is its own, beside its ``CallStateMachine``.
///
/// ``ServerCall`` replaces it as a whole when the call ends, so nothing of one call reaches
/// the next call of the same object. The fields that outlive the call, because work goes
/// on for it, are not here.
///
/// Its fields are read one by one: a copy of the whole would count its objects up and down.
struct CallParts {
    /// The connection ends all its calls before it goes, and the methods live as long as the loop:
    /// so neither needs to be counted, which each call would do a dozen times.
    var heldConnection: Unmanaged<ServerConnection>?
    var stream: StreamPointer?
    // As above: the methods live as long as the loop.
    var heldMethod: Unmanaged<MethodEntry>?
    /// See ``MethodEntry/index``.
    var methodIndex: Int?
    /// See ``MethodEntry/isTimed``.
    var isTimed = false

    /// The further state of a call in a protocol of the web; nil for a call of gRPC in protobuf.
    ///
    /// ``isWeb`` is asked first: to ask an object whether it is there would count it.
    private(set) var web: WebCall?
    private(set) var isWeb = false

    mutating func reset(_ call: WebCall) {
        web = call
        isWeb = true
    }

    /// The handler of a streaming call, from the moment at which it is made.
    var handler: (any StreamHandler)?

    /// See ``ServerCall/group``.
    var group = 0

    /// When the call passed the points on its path.
    var times = CallTimes()

    /// The number of the status with which it ended; that of a call cut off from without until a
    /// status is sent.
    var code = Status.Code.cancelled.rawValue

    var isAdmitted = false
    /// See ``UnauthenticatedCalls``.
    var isCountedAsUnauthenticated = false

    /// How messages of the request may be packed.
    var requestEncoding = MessageEncoding.identity

    /// How answers may be packed, as the header block of the response says it.
    var answerEncoding = MessageEncoding.identity

    var compressesAnswers = true
    var isMessageCompressed = false

    /// Bytes of a half-received message that count against the connection's limit.
    var assembling = 0

    /// The connection and the method, for whoever uses them beyond one statement: each read costs a
    /// retain and a release.
    var connection: ServerConnection? { heldConnection?.takeUnretainedValue() }
    var method: MethodEntry? { heldMethod?.takeUnretainedValue() }
}
