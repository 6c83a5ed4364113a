internal import Memory
internal import Protobuf
internal import RPC

extension ClientDouble {
    /// One attempt of a call, which ends with its deadline.
    func attempt(
        _ path: String, _ request: [UInt8], _ metadata: Metadata, until deadline: Deadline
    ) async throws(RPCError) -> [UInt8] {
        let now = Deadline.clock
        let nanoseconds = deadline.nanoseconds > now ? deadline.nanoseconds - now : 0
        let left = min(
            Duration.nanoseconds(Int64(clamping: nanoseconds)), ClientClock.longestSleep)
        let late = Result<[UInt8], RPCError>.failure(
            RPCError(.deadlineExceeded, "the double gave no answer in time"))
        let outcome = await withTaskGroup(of: Result<[UInt8], RPCError>.self) { group in
            group.addTask {
                do {
                    return .success(
                        try await self.answer(
                            to: request, of: path, metadata: CallMetadata(metadata)))
                } catch {
                    return .failure(RPCError(thrown: error))
                }
            }
            group.addTask {
                // A sleep that is cancelled has lost the race already.
                try? await Task.sleep(for: left)
                return late
            }
            let first = await group.next() ?? late
            group.cancelAll()
            return first
        }
        return try outcome.get()
    }
}

extension CallMetadata {
    /// The texts that a client sends.
    init(_ metadata: Metadata) {
        self.init()
        for (name, value) in metadata.entries {
            if case .text(let text) = value { append(name, text) }
        }
    }
}

extension RPCError {
    /// The error of a call whose double threw.
    init(thrown error: any Error) {
        switch error {
        case let error as RPCError: self = error
        case let error as CallError: self.init(error)
        case is CancellationError: self.init(.cancelled, "the call was cancelled")
        default: self.init(.unknown, "the double failed: \(error)")
        }
    }

    /// The status and the details from which a client makes an equal error.
    private init(_ error: CallError) {
        let code = Status.Code(rawValue: error.code.rawValue) ?? .unknown
        var details: [AnyMessage] = []
        if !error.reason.isEmpty || !error.metadata.isEmpty {
            details.append(
                Self.packed(
                    ErrorInfo(
                        reason: error.reason, domain: "relation.v1", metadata: error.metadata)))
        }
        if !error.violations.isEmpty {
            let violations = error.violations.map {
                BadRequest.FieldViolation(field: $0.field, description: $0.rule)
            }
            details.append(Self.packed(BadRequest(violations)))
        }
        if let wait = error.retryAfter {
            let (seconds, attoseconds) = wait.components
            let delay = DurationMessage(
                seconds: seconds, nanos: Int32(attoseconds / 1_000_000_000))
            details.append(Self.packed(RetryInfo(retryDelay: delay)))
        }
        let status = StatusMessage(
            code: Int32(code.rawValue), message: error.message, details: details)
        self.init(
            code == .ok ? .unknown : code, error.message,
            details: details.isEmpty ? [] : Self.packed(status).value)
    }

    /// A small message of an error, which always fits.
    private static func packed(_ message: some CodedMessage) -> AnyMessage {
        (try? Arena.temporary { (arena) throws(CodecError) in
            try AnyMessage(packing: message, arena)
        }) ?? AnyMessage()
    }
}
