public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/app.proto, where every field is explained.

/// The request of CreateApp.
public struct CreateAppRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The number of the app; 0 lets the server choose.
    public var appID: UInt32 = 0
    /// The name of the app, for people: at most 128 bytes; may be empty.
    public var name = ""
    /// The source whose limits, defaults and profile codes the app starts with.
    public var preset = AppPreset.unspecified
    /// Settings that differ from the preset's.
    public var settings: AppSettingsMessage?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.CreateAppRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "app_id", &appID)
        visitor.field(4, "name", &name)
        visitor.field(5, "preset", &preset)
        visitor.field(6, "settings", &settings)
    }
}

/// The response of CreateApp, whose `applied` says whether the app was made.
public struct CreateAppResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The app as it is now.
    public var app: AppDescription?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.CreateAppResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "app", &app)
        write.visitLast(&visitor)
    }
}

/// The request of GetApp.
public struct GetAppRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The number of the app; 0 means the app of the call.
    public var appID: UInt32 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.GetAppRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "app_id", &appID)
    }

    /// Another app may live in another database, for which no loop may wait.
    package var readSize: ReadSize { appID == 0 ? .rows(1) : .scan }
}

/// The response of GetApp.
public struct GetAppResponse: CodedMessage {
    /// The app.
    public var app: AppDescription?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.GetAppResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
    }
}

/// The request of UpdateApp.
public struct UpdateAppRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The new name; if absent, the name stays.
    public var name: String?
    /// The new settings.
    public var settings: AppSettingsMessage?
    /// The paths in `settings` to change, each of one setting, such as `limits.friends`; none means
    /// all that are set.
    public var updateMask: FieldMask?
    /// The version that the change is based on.
    public var expectedVersion: Int64?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.UpdateAppRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "settings", &settings)
        visitor.field(5, "update_mask", &updateMask)
        visitor.field(6, "expected_version", &expectedVersion)
    }
}

/// The response of UpdateApp, whose `applied` says whether the app changed.
public struct UpdateAppResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The app as it is now.
    public var app: AppDescription?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.UpdateAppResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "app", &app)
        write.visitLast(&visitor)
    }
}

/// The request of ListApps.
public struct ListAppsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most apps to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ListAppsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListApps.
public struct ListAppsResponse: CodedMessage, PagedList {
    /// The apps of this page.
    public var apps: [AppDescription] = []
    public var nextPageToken = ""
    /// How many apps there are.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [AppDescription] { apps }

    @usableFromInline package static let schema = Schema("relation.v1.ListAppsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "apps", &apps)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of DeleteApp.
public struct DeleteAppRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The number of the app; never 0.
    public var appID: UInt32 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.DeleteAppRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "app_id", &appID)
    }
}

/// The response of DeleteApp, whose `applied` says whether the deletion began with this call.
public struct DeleteAppResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The app as it is now.
    public var app: AppDescription?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.DeleteAppResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "app", &app)
        write.visitLast(&visitor)
    }
}

/// The request of GetLimits.
public struct GetLimitsRequest: UserReadRequest, SizedReadRequest {
    /// The acting user, whose use of the limits is answered.
    public var userID = ""
    public var options: ReadOptions?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.GetLimitsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }

    package var readSize: ReadSize { .rows(1) }
}

/// The response of GetLimits.
public struct GetLimitsResponse: CodedMessage {
    /// All limits: first those of the app, then those of requests.
    public var limits: [LimitMessage] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.GetLimitsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "limits", &limits)
    }
}
