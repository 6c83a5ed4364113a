/// The bounds of what this room does for a message, whoever sent it.
public enum CodecLimits {
    /// The largest message that the budget below is made for; the call layer refuses larger ones.
    public static let maxMessageBytes = 4 << 20

    /// The memory that decoding one message may take, in Swift and in C, by our own count.
    ///
    /// What is honest needs two to five times its size. What is made to hurt needs a hundred times:
    /// an empty sub-message is two bytes on the wire and a few hundred in memory.
    public static let decodedBytes = 8 * maxMessageBytes

    /// The address space of an arena for one message of the largest size and its answer.
    public static let arenaBytes = 2 * decodedBytes

    /// What an arena keeps of its memory when it is reset; the rest goes back to the system.
    public static let arenaKeptBytes = 1 << 20

    /// How deep groups may nest in an unknown field.
    ///
    /// No message of ours holds one, but we walk over them, and each level is a frame of our stack.
    public static let groupDepth = 100

    /// How many messages may stand inside one another below the outermost, the entries of maps
    /// among them: what bounds the recursion of libprotobuf-c and ours.
    ///
    /// As many as Google's own readers take, so that nobody sends what others could not read.
    public static let messageDepth = 100

    /// How many singular message fields one message may have: a bit each in the guard's word.
    public static let messageFields = 64

    /// How deep JSON may nest; each level is a frame of our stack.
    ///
    /// A list or a map of messages is two levels of it.
    public static let jsonDepth = 2 * messageDepth

    /// The longest message that libprotobuf-c counts without overflow.
    public static let longestEncodingBytes = Int(Int32.max)
}
