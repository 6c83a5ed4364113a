public import Logging

/// An interceptor that writes a line to the log for each call.
///
/// ```swift
/// options.interceptors = [LoggingInterceptor(Logger(label: "relations"))]
/// ```
///
/// The line has the call's service, method and duration, and for a failure the code, the reason,
/// the attempts and the message. It has no request, no answer and no credential.
public struct LoggingInterceptor: ClientInterceptor {
    private let logger: Logger
    private let level: Logger.Level
    private let failureLevel: Logger.Level
    private let clock: ClientClock

    /// Creates an interceptor that writes to `logger`.
    ///
    /// - Parameters:
    ///   - logger: The log.
    ///   - level: The level of calls that succeed.
    ///   - failureLevel: The level of calls that fail, except those whose task was cancelled.
    public init(
        _ logger: Logger, level: Logger.Level = .debug, failureLevel: Logger.Level = .warning
    ) {
        self.init(logger, level: level, failureLevel: failureLevel, clock: .system)
    }

    init(
        _ logger: Logger, level: Logger.Level, failureLevel: Logger.Level, clock: ClientClock
    ) {
        self.logger = logger
        self.level = level
        self.failureLevel = failureLevel
        self.clock = clock
    }

    public func intercept<Answer: Sendable>(
        _ call: CallContext, _ next: (CallContext) async throws -> Answer
    ) async throws -> Answer {
        try await clock.timing(call, next) { error, time in
            guard let error else {
                logger.log(
                    level: level, "the call succeeded", metadata: metadata(of: call, time))
                return
            }
            log(error, of: call, time)
        }
    }

    private func log(_ error: any Error, of call: CallContext, _ time: Duration) {
        var metadata = metadata(of: call, time)
        metadata["rpc.grpc.status_code"] = "\(StatusCode(of: error))"
        if let error = error as? CallError {
            if !error.reason.isEmpty { metadata["reason"] = "\(error.reason)" }
            metadata["attempts"] = "\(error.attempts)"
            metadata["message"] = "\(error.message)"
        } else {
            metadata["message"] = "\(error)"
        }
        let level = error is CancellationError ? level : failureLevel
        logger.log(level: level, "the call failed", metadata: metadata)
    }

    private func metadata(of call: CallContext, _ time: Duration) -> Logger.Metadata {
        let milliseconds = time / .milliseconds(1)
        return [
            "rpc.service": "\(call.service)", "rpc.method": "\(call.method)",
            "duration_ms": "\((milliseconds * 1_000).rounded() / 1_000)",
        ]
    }
}

extension StatusCode {
    /// The status of a call that ended with `error`, as logs, metrics and traces name it.
    init(of error: any Error) {
        switch error {
        case let error as CallError: self = error.code
        case is CancellationError: self = .cancelled
        default: self = .unknown
        }
    }
}
