extension Status {
    /// The status codes of gRPC, which say how a call ended.
    @usableFromInline package enum Code: UInt8, Sendable, CaseIterable {
        case ok = 0
        case cancelled = 1
        case unknown = 2
        case invalidArgument = 3
        case deadlineExceeded = 4
        case notFound = 5
        case alreadyExists = 6
        case permissionDenied = 7
        case resourceExhausted = 8
        case failedPrecondition = 9
        case aborted = 10
        case outOfRange = 11
        case unimplemented = 12
        case internalError = 13
        case unavailable = 14
        case dataLoss = 15
        case unauthenticated = 16

        /// The number in `grpc-status`.
        package var digits: StaticString {
            switch self {
            case .ok: "0"
            case .cancelled: "1"
            case .unknown: "2"
            case .invalidArgument: "3"
            case .deadlineExceeded: "4"
            case .notFound: "5"
            case .alreadyExists: "6"
            case .permissionDenied: "7"
            case .resourceExhausted: "8"
            case .failedPrecondition: "9"
            case .aborted: "10"
            case .outOfRange: "11"
            case .unimplemented: "12"
            case .internalError: "13"
            case .unavailable: "14"
            case .dataLoss: "15"
            case .unauthenticated: "16"
            }
        }

        /// The code in the value of a `grpc-status` field; `unknown` for numbers that gRPC does not
        /// define.
        package init(digits: UnsafeRawBufferPointer) {
            var number = 0
            for byte in digits {
                guard byte >= 0x30, byte <= 0x39, number < 100 else {
                    self = .unknown
                    return
                }
                number = number * 10 + Int(byte - 0x30)
            }
            self = digits.isEmpty ? .unknown : Self(rawValue: UInt8(number)) ?? .unknown
        }
    }
}

extension Status.Code: CustomStringConvertible {
    /// The name as gRPC writes it.
    @usableFromInline package var description: String {
        switch self {
        case .ok: "OK"
        case .cancelled: "CANCELLED"
        case .unknown: "UNKNOWN"
        case .invalidArgument: "INVALID_ARGUMENT"
        case .deadlineExceeded: "DEADLINE_EXCEEDED"
        case .notFound: "NOT_FOUND"
        case .alreadyExists: "ALREADY_EXISTS"
        case .permissionDenied: "PERMISSION_DENIED"
        case .resourceExhausted: "RESOURCE_EXHAUSTED"
        case .failedPrecondition: "FAILED_PRECONDITION"
        case .aborted: "ABORTED"
        case .outOfRange: "OUT_OF_RANGE"
        case .unimplemented: "UNIMPLEMENTED"
        case .internalError: "INTERNAL"
        case .unavailable: "UNAVAILABLE"
        case .dataLoss: "DATA_LOSS"
        case .unauthenticated: "UNAUTHENTICATED"
        }
    }
}
