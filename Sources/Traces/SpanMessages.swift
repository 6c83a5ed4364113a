import Protobuf

// The messages of OpenTelemetry's `collector/trace/v1/trace_service.proto`, with those of
// `trace/v1/trace.proto`, `resource/v1/resource.proto` and `common/v1/common.proto` that it needs.
// Fields that this service never sets are left out.

struct ExportRequest: CodedMessage {
    var resourceSpans: [ResourceSpans] = []

    static let schema = Schema(
        "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest", ExportRequest.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "resource_spans", &resourceSpans)
    }
}

struct ExportResponse: CodedMessage {
    var partialSuccess: PartialSuccess?

    static let schema = Schema(
        "opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse", ExportResponse.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "partial_success", &partialSuccess)
    }
}

struct PartialSuccess: CodedMessage {
    var rejectedSpans: Int64 = 0
    var errorMessage = ""

    static let schema = Schema(
        "opentelemetry.proto.collector.trace.v1.ExportTracePartialSuccess", PartialSuccess.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "rejected_spans", &rejectedSpans)
        visitor.field(2, "error_message", &errorMessage)
    }
}

struct ResourceSpans: CodedMessage {
    var resource: Resource?
    var scopeSpans: [ScopeSpans] = []

    static let schema = Schema("opentelemetry.proto.trace.v1.ResourceSpans", ResourceSpans.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "resource", &resource)
        visitor.field(2, "scope_spans", &scopeSpans)
    }
}

/// The process that the spans come from.
struct Resource: CodedMessage {
    var attributes: [KeyValue] = []

    static let schema = Schema("opentelemetry.proto.resource.v1.Resource", Resource.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "attributes", &attributes)
    }
}

struct ScopeSpans: CodedMessage {
    var scope: InstrumentationScope?
    var spans: [Span] = []

    static let schema = Schema("opentelemetry.proto.trace.v1.ScopeSpans", ScopeSpans.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "scope", &scope)
        visitor.field(2, "spans", &spans)
    }
}

/// The code that made the spans.
struct InstrumentationScope: CodedMessage {
    var name = ""
    var version = ""

    static let schema = Schema(
        "opentelemetry.proto.common.v1.InstrumentationScope", InstrumentationScope.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "version", &version)
    }
}

struct Span: CodedMessage {
    var traceID: [UInt8] = []
    var spanID: [UInt8] = []
    var traceState = ""
    /// Empty if the trace begins with the span.
    var parentSpanID: [UInt8] = []
    var name = ""
    var kind = SpanKind.unspecified
    /// Nanoseconds since 1970.
    var start: Fixed<UInt64> = 0
    var end: Fixed<UInt64> = 0
    var attributes: [KeyValue] = []
    var status: SpanStatus?
    /// The flags of `traceparent`, and whether the parent is in another process.
    var flags: Fixed<UInt32> = 0

    static let schema = Schema("opentelemetry.proto.trace.v1.Span", Span.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "trace_id", &traceID)
        visitor.field(2, "span_id", &spanID)
        visitor.field(3, "trace_state", &traceState)
        visitor.field(4, "parent_span_id", &parentSpanID)
        visitor.field(5, "name", &name)
        visitor.field(6, "kind", &kind)
        visitor.field(7, "start_time_unix_nano", &start)
        visitor.field(8, "end_time_unix_nano", &end)
        visitor.field(9, "attributes", &attributes)
        visitor.field(15, "status", &status)
        visitor.field(16, "flags", &flags)
    }

    static let hasIsRemote: UInt32 = 0x100
    static let isRemote: UInt32 = 0x200
}

struct SpanKind: OpenEnum, Scalar {
    let rawValue: Int32

    init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    static let unspecified = SpanKind(rawValue: 0)
    static let `internal` = SpanKind(rawValue: 1)
    static let server = SpanKind(rawValue: 2)

    static let schema = EnumSchema(
        "opentelemetry.proto.trace.v1.Span.SpanKind",
        [
            (0, "SPAN_KIND_UNSPECIFIED"), (1, "SPAN_KIND_INTERNAL"), (2, "SPAN_KIND_SERVER"),
            (3, "SPAN_KIND_CLIENT"), (4, "SPAN_KIND_PRODUCER"), (5, "SPAN_KIND_CONSUMER"),
        ])
}

struct SpanStatus: CodedMessage {
    var code = SpanStatusCode.unset

    static let schema = Schema("opentelemetry.proto.trace.v1.Status", SpanStatus.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(3, "code", &code)
    }
}

struct SpanStatusCode: OpenEnum, Scalar {
    let rawValue: Int32

    init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    static let unset = SpanStatusCode(rawValue: 0)
    static let error = SpanStatusCode(rawValue: 2)

    static let schema = EnumSchema(
        "opentelemetry.proto.trace.v1.Status.StatusCode",
        [(0, "STATUS_CODE_UNSET"), (1, "STATUS_CODE_OK"), (2, "STATUS_CODE_ERROR")])
}

struct KeyValue: CodedMessage {
    var key = ""
    var value: AnyValue?

    init() {}

    init(_ key: String, _ text: String) {
        self.key = key
        value = AnyValue(value: .text(text))
    }

    init(_ key: String, _ number: Int) {
        self.key = key
        value = AnyValue(value: .number(Int64(number)))
    }

    static let schema = Schema("opentelemetry.proto.common.v1.KeyValue", KeyValue.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "key", &key)
        visitor.field(2, "value", &value)
    }
}

struct AnyValue: CodedMessage {
    enum Value: Equatable {
        case text(String)
        case number(Int64)
    }

    // A `oneof` on the wire is fields of which one is there.
    private var text: String?
    private var number: Int64?

    init() {}

    init(value: Value) {
        switch value {
        case .text(let text): self.text = text
        case .number(let number): self.number = number
        }
    }

    var value: Value? { text.map { .text($0) } ?? number.map { .number($0) } }

    static let schema = Schema("opentelemetry.proto.common.v1.AnyValue", AnyValue.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "string_value", &text)
        visitor.field(3, "int_value", &number)
    }
}
