package import Protobuf

// The messages of `grpc/health/v1/health.proto`.

package struct HealthCheckRequest: CodedMessage {
    package var service = ""

    package init() {}
    package static let schema = Schema("grpc.health.v1.HealthCheckRequest", HealthCheckRequest.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "service", &service)
    }
}

package struct HealthCheckResponse: CodedMessage {
    package var status = ServingStatus.unknown

    package init() {}

    package init(_ status: ServingStatus) {
        self.status = status
    }

    package static let schema = Schema(
        "grpc.health.v1.HealthCheckResponse", HealthCheckResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "status", &status)
    }
}

package struct HealthListRequest: CodedMessage {
    package init() {}
    package static let schema = Schema("grpc.health.v1.HealthListRequest", HealthListRequest.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {}
}

package struct HealthListResponse: CodedMessage {
    package var statuses: [String: HealthCheckResponse] = [:]

    package init() {}
    package static let schema = Schema("grpc.health.v1.HealthListResponse", HealthListResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "statuses", &statuses)
    }
}

/// Whether a service takes calls.
package struct ServingStatus: OpenEnum, Scalar {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let unknown = ServingStatus(rawValue: 0)
    package static let serving = ServingStatus(rawValue: 1)
    package static let notServing = ServingStatus(rawValue: 2)
    /// The service does not exist now; sent only in answers to a watch.
    package static let serviceUnknown = ServingStatus(rawValue: 3)

    package static let schema = EnumSchema(
        "grpc.health.v1.HealthCheckResponse.ServingStatus",
        [(0, "UNKNOWN"), (1, "SERVING"), (2, "NOT_SERVING"), (3, "SERVICE_UNKNOWN")])
}
