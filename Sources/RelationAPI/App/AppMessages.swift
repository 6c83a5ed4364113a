public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/app.proto, where every field is explained.

/// One app, as its administrators see it.
public struct AppDescription: Message, Equatable {
    public var appID: UInt32 = 0
    public var preset = AppPreset.unspecified

    public init() {}

    public static let schema = Schema("relation.v1.App", AppDescription.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app_id", &appID)
        visitor.field(2, "preset", &preset)
    }
}

/// The request of GetApp.
public struct GetAppRequest: Message {
    public var options: ReadOptions?

    public init() {}

    public static let schema = Schema("relation.v1.GetAppRequest", GetAppRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
    }
}

/// The response of GetApp.
public struct GetAppResponse: Message {
    public var app: AppDescription?

    public init() {}

    public static let schema = Schema("relation.v1.GetAppResponse", GetAppResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
    }
}
