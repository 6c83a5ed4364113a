/// The bounds of the work of this room for one message, from any sender.
@usableFromInline package enum CodecLimits {
    /// The largest message that the budget below is made for; the call layer refuses larger ones.
    package static let maxMessageBytes = 4 << 20

    /// The memory that decoding one message may take, in Swift and in C, by our own count.
    ///
    /// An honest message needs two to five times its size. A message made to harm needs a hundred
    /// times: an empty sub-message is two bytes on the wire and a few hundred in memory.
    package static let decodedBytes = 8 * maxMessageBytes

    /// The address space of an arena for one message of the largest size and its answer.
    @usableFromInline package static let arenaBytes = 2 * decodedBytes

    /// How deep groups may nest in an unknown field.
    ///
    /// No message of ours holds a group, but the codec walks over groups, and each level takes a
    /// frame of the stack.
    package static let groupDepth = 100

    /// How many messages may stand inside one another below the outermost, including entries of
    /// maps.
    ///
    /// This bounds the recursion of libprotobuf-c and of this codec. It is the limit of Google's
    /// own readers, so that no message is accepted that others could not read.
    @usableFromInline package static let messageDepth = 100

    /// How many singular message fields one message may have: each takes a bit in the guard's word.
    package static let messageFields = 64

    /// How many unknown fields one message may hold, in all messages inside it together.
    ///
    /// No call takes so many items of any kind. So no message of a newer client holds more, unless
    /// it would be refused by the newer server too.
    package static let unknownFields = 100_000

    /// How many paths one field mask may name in JSON.
    ///
    /// A call takes far fewer, and says so. This bounds the work of reading a text that no call
    /// takes.
    package static let maskPaths = 1_000

    /// How deep JSON may nest; each level takes a frame of the stack.
    ///
    /// A list or a map of messages takes two levels.
    package static let jsonDepth = 2 * messageDepth

    /// How much of a name that the sender has chosen an error shows: a key of JSON, or a type.
    package static let shownNameBytes = 256

    /// How many bytes of the names of an enum an error lists: all of most of them.
    package static let listedNameBytes = 512

    /// The longest message that libprotobuf-c counts without overflow.
    package static let longestEncodingBytes = Int(Int32.max)
}
