public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/app.proto, where every field is explained.

/// The request of CreateApp.
public struct CreateAppRequest: Message {
    /// How the write is carried out.
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

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        options: WriteOptions? = nil, appID: UInt32 = 0, name: String = "",
        preset: AppPreset = .unspecified, settings: AppSettingsMessage? = nil
    ) {
        self.options = options
        self.appID = appID
        self.name = name
        self.preset = preset
        self.settings = settings
    }
}

extension CreateAppRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateAppRequest", CreateAppRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "app_id", &appID)
        visitor.field(4, "name", &name)
        visitor.field(5, "preset", &preset)
        visitor.field(6, "settings", &settings)
    }
}

/// The response of CreateApp.
public struct CreateAppResponse: Message {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether the app was made.
    ///
    /// False in a dry run.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The app as it is now.
    public var app: AppDescription?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        app: AppDescription? = nil
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.app = app
    }
}

extension CreateAppResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateAppResponse", CreateAppResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "app", &app)
    }
}

/// The request of GetApp.
public struct GetAppRequest: Message {
    /// How the read is carried out.
    ///
    /// A `min_sequence` must name a user.
    public var options: ReadOptions?
    /// The number of the app; 0 means the app of the call.
    public var appID: UInt32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil, appID: UInt32 = 0) {
        self.options = options
        self.appID = appID
    }
}

extension GetAppRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetAppRequest", GetAppRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "app_id", &appID)
    }
}

/// The response of GetApp.
public struct GetAppResponse: Message {
    /// The app.
    public var app: AppDescription?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(app: AppDescription? = nil) {
        self.app = app
    }
}

extension GetAppResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetAppResponse", GetAppResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
    }
}

/// The request of UpdateApp.
public struct UpdateAppRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The new name; if absent, the name stays.
    public var name: String?
    /// The new settings.
    ///
    /// If nothing is set here, and there is neither a mask nor a name, the call is
    /// INVALID_ARGUMENT.
    public var settings: AppSettingsMessage?
    /// The paths in `settings` to change, each of one setting, such as `limits.friends`; none means
    /// all that are set.
    ///
    /// A path that `settings` lacks follows the app's preset again, so no setting can follow it
    /// again without a mask. Another path is INVALID_ARGUMENT.
    public var updateMask: FieldMask?
    /// The version that the change is based on.
    ///
    /// If the app has another version, the call is ABORTED, reason VERSION_STALE, with metadata
    /// `version`. Absent means any version.
    public var expectedVersion: Int64?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        options: WriteOptions? = nil, name: String? = nil, settings: AppSettingsMessage? = nil,
        updateMask: FieldMask? = nil, expectedVersion: Int64? = nil
    ) {
        self.options = options
        self.name = name
        self.settings = settings
        self.updateMask = updateMask
        self.expectedVersion = expectedVersion
    }
}

extension UpdateAppRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.UpdateAppRequest", UpdateAppRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "settings", &settings)
        visitor.field(5, "update_mask", &updateMask)
        visitor.field(6, "expected_version", &expectedVersion)
    }
}

/// The response of UpdateApp.
public struct UpdateAppResponse: Message {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether the app changed.
    ///
    /// False in a dry run, and if it had all of these values already.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The app as it is now.
    public var app: AppDescription?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        app: AppDescription? = nil
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.app = app
    }
}

extension UpdateAppResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.UpdateAppResponse", UpdateAppResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "app", &app)
    }
}

/// The request of ListApps.
public struct ListAppsRequest: Message {
    /// How the read is carried out.
    ///
    /// `min_sequence` cannot be used here, because the call acts for no app.
    public var options: ReadOptions?
    /// The most apps to answer: 0 means 100; more than 1000 means 1000.
    ///
    /// A page also ends at 1 MiB.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another list is INVALID_ARGUMENT.
    public var pageToken = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil, pageSize: Int32 = 0, pageToken: String = "") {
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
    }
}

extension ListAppsRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListAppsRequest", ListAppsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

extension ListAppsRequest: PagedRequest {}

/// The response of ListApps.
public struct ListAppsResponse: Message {
    /// The apps of this page.
    public var apps: [AppDescription] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many apps there are.
    public var totalSize: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(apps: [AppDescription] = [], nextPageToken: String = "", totalSize: Int32 = 0) {
        self.apps = apps
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
    }
}

extension ListAppsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListAppsResponse", ListAppsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "apps", &apps)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

extension ListAppsResponse: PagedList {
    public var pageItems: [AppDescription] { apps }
}

/// The request of DeleteApp.
public struct DeleteAppRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The number of the app; never 0.
    public var appID: UInt32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: WriteOptions? = nil, appID: UInt32 = 0) {
        self.options = options
        self.appID = appID
    }
}

extension DeleteAppRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAppRequest", DeleteAppRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "app_id", &appID)
    }
}

/// The response of DeleteApp.
public struct DeleteAppResponse: Message {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether the deletion began with this call.
    ///
    /// False in a dry run, and for an app that is being deleted.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The app as it is now.
    public var app: AppDescription?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        app: AppDescription? = nil
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.app = app
    }
}

extension DeleteAppResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAppResponse", DeleteAppResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "app", &app)
    }
}

/// The request of GetLimits.
public struct GetLimitsRequest: Message {
    /// The acting user, whose use of the limits is answered.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", options: ReadOptions? = nil) {
        self.userID = userID
        self.options = options
    }
}

extension GetLimitsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetLimitsRequest", GetLimitsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }
}

/// The response of GetLimits.
public struct GetLimitsResponse: Message {
    /// All limits: first those of the app, then those of requests.
    ///
    /// The limits of requests are the same in every app, but for GetFriends and GetRelations. These
    /// two and `limits.profiles_per_call` depend on the length of rows, by the highest values that
    /// the app's settings have had and by its custom fields. If rows are long, the limit is the
    /// number that fits into a message.
    public var limits: [LimitMessage] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(limits: [LimitMessage] = []) {
        self.limits = limits
    }
}

extension GetLimitsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetLimitsResponse", GetLimitsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "limits", &limits)
    }
}
