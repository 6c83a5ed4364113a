public import Tracing

/// An interceptor that makes a client span of each call, and sends the server the trace.
///
/// ```swift
/// options.interceptors = [TracingInterceptor()]
/// ```
///
/// The span is a child of the task's span. It has OpenTelemetry's attributes of RPC: `rpc.system`,
/// `rpc.service`, `rpc.method` and `rpc.grpc.status_code`. The tracer adds what it sends between
/// processes, such as `traceparent`, to the call's metadata. A span has all attempts of its call.
/// The span of a stream ends when the stream has begun.
public struct TracingInterceptor: ClientInterceptor {
    private let tracer: (any Tracer)?

    /// Creates an interceptor that makes its spans by `tracer`.
    ///
    /// - Parameter tracer: Nil means the tracer of `InstrumentationSystem` when a call is made.
    public init(tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    public func intercept<Answer: Sendable>(
        _ call: CallContext, _ next: (CallContext) async throws -> Answer
    ) async throws -> Answer {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let name = "\(call.service)/\(call.method)"
        return try await tracer.withAnySpan(name, ofKind: .client) { span in
            span.attributes["rpc.system"] = "grpc"
            span.attributes["rpc.service"] = call.service
            span.attributes["rpc.method"] = call.method
            var call = call
            tracer.inject(
                span.context, into: &call.options.metadata, using: MetadataInjector())
            do {
                let answer = try await next(call)
                span.attributes["rpc.grpc.status_code"] = Int(StatusCode.ok.rawValue)
                return answer
            } catch {
                span.attributes["rpc.grpc.status_code"] = Int(StatusCode(of: error).rawValue)
                throw error
            }
        }
    }
}

/// Writes what a tracer sends between processes into a call's metadata.
private struct MetadataInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout CallMetadata) {
        // A name of metadata has no capital letters.
        carrier[key.lowercased()] = value
    }
}
