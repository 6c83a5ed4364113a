public import RelationAPI
public import RelationModel

/// How ``Client/consume(_:_:options:handle:)`` holds a consumer, and when it acknowledges.
public struct ConsumerOptions: Sendable {
    /// Where the consumer begins if it is new.
    public var start = ConsumerStart.unspecified
    /// Whether it takes the consumer from a reader whose lease is not over.
    ///
    /// A back end of one process sets it: the reader before is then the process that crashed.
    public var takesOver = false
    /// How long the consumer is held without an acknowledgement: 1 to 600 seconds.
    ///
    /// Handling one message must take less than this.
    public var lease = Duration.seconds(30)
    /// After how many messages it acknowledges.
    public var acknowledgesAfter = 100
    /// After how much time it acknowledges, if it is done with any message since.
    public var acknowledgesEvery = Duration.seconds(1)
    /// The settings of the calls that acquire the consumer and acknowledge.
    ///
    /// An acknowledgement is not made again: the next one says more.
    public var calls = CallOptions()
    /// How it goes on over lost streams, and the metadata of these.
    public var changes = ChangesOptions()

    /// Creates the options, each with its default.
    public init() {}

    /// The error by which a handler ends the reading: it is done with the message, which is then
    /// acknowledged.
    public struct End: Error {
        /// The last message.
        public let message: WatchResponse

        /// Ends the reading after `message`.
        public init(after message: WatchResponse) {
            self.message = message
        }
    }
}
