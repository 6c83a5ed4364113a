public import Protobuf
public import RelationModel

// The messages about consumers in proto/relation/v1/change.proto, where every field is explained.

/// The reader of a consumer.
public struct ConsumerReader: CodedMessage {
    /// The name of the consumer.
    public var consumer = ""
    /// The reader's number, which AcquireConsumer gave out: at least 1.
    public var reader: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ConsumerReader", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "consumer", &consumer)
        visitor.field(2, "reader", &reader)
    }
}

/// A position in the changes of an app that the server keeps under a name.
public struct Consumer: CodedMessage {
    /// The name of the consumer: 1 to 64 letters, digits, dots, hyphens and underscores of ASCII.
    public var consumer = ""
    /// The number of the present reader, higher than that of any reader before it.
    public var reader: Int64 = 0
    /// The stored position, as a token of Watch.
    public var resumeToken = ""
    /// When the consumer was made.
    public var createTimeMs: Int64 = 0
    /// When the present reader acquired the consumer.
    public var acquireTimeMs: Int64 = 0
    /// When a token was last acknowledged that was not from before the position; 0 if none was.
    public var acknowledgeTimeMs: Int64 = 0
    /// When the lease of the reader ends, or has ended.
    public var expireTimeMs: Int64 = 0
    /// How many events the app's feed has after the position; all that it ever had if there
    /// is not a position in the present history.
    public var waitingEvents: Int64 = 0
    /// Whether the position is no longer in the app's log, or of another history of the app: a
    /// stream of the app then begins with RESYNC and the present state.
    public var isTrimmed = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Consumer", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "consumer", &consumer)
        visitor.field(2, "reader", &reader)
        visitor.field(3, "resume_token", &resumeToken)
        visitor.field(4, "create_time_ms", &createTimeMs)
        visitor.field(5, "acquire_time_ms", &acquireTimeMs)
        visitor.field(6, "acknowledge_time_ms", &acknowledgeTimeMs)
        visitor.field(7, "expire_time_ms", &expireTimeMs)
        visitor.field(8, "waiting_events", &waitingEvents)
        visitor.field(9, "is_trimmed", &isTrimmed)
    }
}

/// The request of AcquireConsumer.
public struct AcquireConsumerRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The name of the consumer: 1 to 64 letters, digits, dots, hyphens and underscores of ASCII.
    public var consumer = ""
    /// Where the consumer begins if it is new, or if `reset` is set.
    public var start = ConsumerStart.unspecified
    /// The token after which the consumer begins: given with CONSUMER_START_TOKEN, and only then.
    public var resumeToken = ""
    /// Whether a consumer that there is already begins at `start` too, and not at its position.
    public var reset = false
    /// Whether the caller gets the consumer even if the lease of its reader is not over.
    public var takeOver = false
    /// How long the reader holds the consumer without an acknowledgement: 1,000 to 600,000 ms; 0
    /// means 30,000.
    public var leaseMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.AcquireConsumerRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "consumer", &consumer)
        visitor.field(4, "start", &start)
        visitor.field(5, "resume_token", &resumeToken)
        visitor.field(6, "reset", &reset)
        visitor.field(7, "take_over", &takeOver)
        visitor.field(8, "lease_ms", &leaseMs)
    }
}

/// The response of AcquireConsumer, whose `applied` says whether the consumer was acquired.
public struct AcquireConsumerResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The consumer, as the call left it; its `reader` is the caller's number.
    public var consumer: Consumer?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.AcquireConsumerResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "consumer", &consumer)
        write.visitLast(&visitor)
    }
}

/// The request of AcknowledgeChanges.
public struct AcknowledgeChangesRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The name of the consumer.
    public var consumer = ""
    /// The caller's number: at least 1.
    public var reader: Int64 = 0
    /// The token of the last message that the caller is done with.
    public var resumeToken = ""
    /// Whether the lease ends now, so that the next reader need not wait.
    public var release = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.AcknowledgeChangesRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "consumer", &consumer)
        visitor.field(4, "reader", &reader)
        visitor.field(5, "resume_token", &resumeToken)
        visitor.field(6, "release", &release)
    }
}

/// The response of AcknowledgeChanges, whose `applied` says whether the position or the lease
/// changed.
public struct AcknowledgeChangesResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The stored position after the call, as a token of Watch.
    public var resumeToken = ""
    /// When the lease of the reader ends, or has ended.
    public var expireTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.AcknowledgeChangesResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "resume_token", &resumeToken)
        visitor.field(5, "expire_time_ms", &expireTimeMs)
        write.visitLast(&visitor)
    }
}

/// The request of ListConsumers.
public struct ListConsumersRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most consumers to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListConsumersRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListConsumers.
public struct ListConsumersResponse: CodedMessage, PagedList {
    /// The consumers of this page.
    public var consumers: [Consumer] = []
    public var nextPageToken = ""
    /// How many consumers the app has: at most 1,000.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [Consumer] { consumers }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListConsumersResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "consumers", &consumers)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of DeleteConsumer.
public struct DeleteConsumerRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The name of the consumer.
    public var consumer = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteConsumerRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "consumer", &consumer)
    }
}

/// The response of DeleteConsumer, whose `applied` says whether there was such a consumer.
public struct DeleteConsumerResponse: WriteResponse {
    public var write = WriteOutcome()

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteConsumerResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        write.visitLast(&visitor)
    }
}
