package import Protobuf

// The messages of `grpc/testing/messages.proto` that test cases use, and `grpc.testing.Empty`.

package struct EmptyMessage: CodedMessage, Hashable {
    package init() {}
    package static let schema = Schema("grpc.testing.Empty", EmptyMessage.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {}
}

/// A Boolean that may be absent.
package struct BoolValue: CodedMessage, Hashable {
    package var value = false

    package init() {}

    package init(_ value: Bool) {
        self.value = value
    }

    package static let schema = Schema("grpc.testing.BoolValue", BoolValue.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "value", &value)
    }
}

/// The kind of a payload; old clients also name kinds that no longer exist.
package struct PayloadType: OpenEnum, Scalar {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let compressable = PayloadType(rawValue: 0)

    package static let schema = EnumSchema("grpc.testing.PayloadType", [(0, "COMPRESSABLE")])
}

package struct Payload: CodedMessage, Hashable {
    package var type = PayloadType.compressable
    package var body: [UInt8] = []

    package init() {}

    /// A payload of `count` zeros.
    package init(zeros count: Int) {
        body = [UInt8](repeating: 0, count: count)
    }

    package static let schema = Schema("grpc.testing.Payload", Payload.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "type", &type)
        visitor.field(2, "body", &body)
    }
}

/// The status that a call is asked to end with.
package struct EchoStatus: CodedMessage, Hashable {
    package var code: Int32 = 0
    package var message = ""

    package init() {}

    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    package static let schema = Schema("grpc.testing.EchoStatus", EchoStatus.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "message", &message)
    }
}

package struct SimpleRequest: CodedMessage, Hashable {
    package var responseType = PayloadType.compressable
    package var responseSize: Int32 = 0
    package var payload: Payload?
    package var responseCompressed: BoolValue?
    package var responseStatus: EchoStatus?
    package var expectCompressed: BoolValue?
    package var fillServerID = false

    package init() {}
    package static let schema = Schema("grpc.testing.SimpleRequest", SimpleRequest.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "response_type", &responseType)
        visitor.field(2, "response_size", &responseSize)
        visitor.field(3, "payload", &payload)
        visitor.field(6, "response_compressed", &responseCompressed)
        visitor.field(7, "response_status", &responseStatus)
        visitor.field(8, "expect_compressed", &expectCompressed)
        visitor.field(9, "fill_server_id", &fillServerID)
    }
}

package struct SimpleResponse: CodedMessage, Hashable {
    package var payload: Payload?
    package var serverID = ""

    package init() {}
    package static let schema = Schema("grpc.testing.SimpleResponse", SimpleResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "payload", &payload)
        visitor.field(4, "server_id", &serverID)
    }
}

package struct StreamingInputCallRequest: CodedMessage, Hashable {
    package var payload: Payload?
    package var expectCompressed: BoolValue?

    package init() {}
    package static let schema = Schema(
        "grpc.testing.StreamingInputCallRequest", StreamingInputCallRequest.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "payload", &payload)
        visitor.field(2, "expect_compressed", &expectCompressed)
    }
}

package struct StreamingInputCallResponse: CodedMessage, Hashable {
    package var aggregatedPayloadSize: Int32 = 0

    package init() {}
    package static let schema = Schema(
        "grpc.testing.StreamingInputCallResponse", StreamingInputCallResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "aggregated_payload_size", &aggregatedPayloadSize)
    }
}

/// The size and the delay of one answer of a stream.
package struct ResponseParameters: CodedMessage, Hashable {
    package var size: Int32 = 0
    package var intervalMicroseconds: Int32 = 0
    package var compressed: BoolValue?

    package init() {}

    package init(size: Int32, intervalMicroseconds: Int32 = 0, compressed: Bool? = nil) {
        self.size = size
        self.intervalMicroseconds = intervalMicroseconds
        self.compressed = compressed.map { BoolValue($0) }
    }

    package static let schema = Schema("grpc.testing.ResponseParameters", ResponseParameters.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "size", &size)
        visitor.field(2, "interval_us", &intervalMicroseconds)
        visitor.field(3, "compressed", &compressed)
    }
}

package struct StreamingOutputCallRequest: CodedMessage, Hashable {
    package var responseType = PayloadType.compressable
    package var responseParameters: [ResponseParameters] = []
    package var payload: Payload?
    package var responseStatus: EchoStatus?

    package init() {}
    package static let schema = Schema(
        "grpc.testing.StreamingOutputCallRequest", StreamingOutputCallRequest.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "response_type", &responseType)
        visitor.field(2, "response_parameters", &responseParameters)
        visitor.field(3, "payload", &payload)
        visitor.field(7, "response_status", &responseStatus)
    }
}

package struct StreamingOutputCallResponse: CodedMessage, Hashable {
    package var payload: Payload?

    package init() {}
    package static let schema = Schema(
        "grpc.testing.StreamingOutputCallResponse", StreamingOutputCallResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "payload", &payload)
    }
}
