/// The methods of `grpc.testing.TestService`, and methods that no server has.
package enum Paths {
    package static let emptyCall = "/grpc.testing.TestService/EmptyCall"
    package static let unaryCall = "/grpc.testing.TestService/UnaryCall"
    package static let cacheableUnaryCall = "/grpc.testing.TestService/CacheableUnaryCall"
    package static let streamingInputCall = "/grpc.testing.TestService/StreamingInputCall"
    package static let streamingOutputCall = "/grpc.testing.TestService/StreamingOutputCall"
    package static let fullDuplexCall = "/grpc.testing.TestService/FullDuplexCall"
    package static let halfDuplexCall = "/grpc.testing.TestService/HalfDuplexCall"
    package static let unimplementedCall = "/grpc.testing.TestService/UnimplementedCall"
    package static let unimplementedService =
        "/grpc.testing.UnimplementedService/UnimplementedCall"
}

/// The metadata that a call of the test service gives back.
package enum EchoedMetadata {
    package static let initial: StaticString = "x-grpc-test-echo-initial"
    package static let trailing: StaticString = "x-grpc-test-echo-trailing-bin"
}
