public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/application.proto, where every field is explained.

/// A record of an application that waits.
public struct Pendency: Message, Equatable {
    public var userID = ""
    public var addTimeMs: Int64 = 0
    public var source = ""
    public var wording = ""
    public var nick = ""
    public var faceURL = ""
    public var pendencyType = PendencyType.unspecified
    public var applicationID = ""
    public var status: ApplicationStatus?

    public init() {}

    public static let schema = Schema("relation.v1.Pendency", Pendency.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "add_time_ms", &addTimeMs)
        visitor.field(3, "source", &source)
        visitor.field(4, "wording", &wording)
        visitor.field(5, "nick", &nick)
        visitor.field(6, "face_url", &faceURL)
        visitor.field(7, "pendency_type", &pendencyType)
        visitor.field(8, "application_id", &applicationID)
        visitor.field(9, "status", &status)
    }
}

/// The answer to one application.
public struct FriendResponse: Message, Equatable {
    public var userID = ""
    public var responseType: FriendResponseType?
    public var remark = ""
    public var group = ""

    public init() {}

    public static let schema = Schema("relation.v1.FriendResponse", FriendResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "response_type", &responseType)
        visitor.field(3, "remark", &remark)
        visitor.field(4, "group", &group)
    }
}

/// The request of RespondToApplications.
public struct RespondToApplicationsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var items: [FriendResponse] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.RespondToApplicationsRequest", RespondToApplicationsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of RespondToApplications.
public struct RespondToApplicationsResponse: Message, ItemsResponse, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.RespondToApplicationsResponse", RespondToApplicationsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ListPendencies.
public struct ListPendenciesRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var seq: Int64 = 0
    public var timestampMs: Int64 = 0
    public var numPerPage: Int32 = 0
    public var pendencyType = PendencyType.unspecified

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListPendenciesRequest", ListPendenciesRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "seq", &seq)
        visitor.field(4, "timestamp_ms", &timestampMs)
        visitor.field(5, "num_per_page", &numPerPage)
        visitor.field(6, "pendency_type", &pendencyType)
    }
}

/// The response of ListPendencies.
public struct ListPendenciesResponse: Message {
    public var seq: Int64 = 0
    public var timestampMs: Int64 = 0
    public var unreadCount: Int32 = 0
    public var pendencies: [Pendency] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListPendenciesResponse", ListPendenciesResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "seq", &seq)
        visitor.field(2, "timestamp_ms", &timestampMs)
        visitor.field(3, "unread_count", &unreadCount)
        visitor.field(4, "pendencies", &pendencies)
    }
}

/// The request of DeletePendencies.
public struct DeletePendenciesRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var pendencyType = PendencyType.unspecified
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeletePendenciesRequest", DeletePendenciesRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "pendency_type", &pendencyType)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of DeletePendencies.
public struct DeletePendenciesResponse: Message, ItemsResponse, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeletePendenciesResponse", DeletePendenciesResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ReportPendencies.
public struct ReportPendenciesRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var timestampMs: Int64 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ReportPendenciesRequest", ReportPendenciesRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "timestamp_ms", &timestampMs)
    }
}

/// The response of ReportPendencies.
public struct ReportPendenciesResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var unreadCount: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ReportPendenciesResponse", ReportPendenciesResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "unread_count", &unreadCount)
    }
}

/// The request of WithdrawApplications.
public struct WithdrawApplicationsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.WithdrawApplicationsRequest", WithdrawApplicationsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of WithdrawApplications.
public struct WithdrawApplicationsResponse: Message, ItemsResponse, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.WithdrawApplicationsResponse", WithdrawApplicationsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// A record of an application, whether it waits or has ended.
public struct FriendApplication: Message, Equatable {
    public var userID = ""
    public var applicationID = ""
    public var pendencyType = PendencyType.unspecified
    public var status: ApplicationStatus?
    public var addTimeMs: Int64 = 0
    public var operationTimeMs: Int64 = 0
    public var source = ""
    public var wording = ""
    public var nick = ""
    public var faceURL = ""

    public init() {}

    public static let schema = Schema("relation.v1.FriendApplication", FriendApplication.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "application_id", &applicationID)
        visitor.field(3, "pendency_type", &pendencyType)
        visitor.field(4, "status", &status)
        visitor.field(5, "add_time_ms", &addTimeMs)
        visitor.field(6, "operation_time_ms", &operationTimeMs)
        visitor.field(7, "source", &source)
        visitor.field(8, "wording", &wording)
        visitor.field(9, "nick", &nick)
        visitor.field(10, "face_url", &faceURL)
    }
}

/// The request of ListApplications.
public struct ListApplicationsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var pendencyType = PendencyType.unspecified
    public var statuses: [ApplicationStatus] = []
    public var direction = SortDirection.unspecified

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListApplicationsRequest", ListApplicationsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "pendency_type", &pendencyType)
        visitor.field(6, "statuses", &statuses)
        visitor.field(7, "direction", &direction)
    }
}

/// The response of ListApplications.
public struct ListApplicationsResponse: Message {
    public var applications: [FriendApplication] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0
    public var sequence: Int64 = 0
    public var unreadCount: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListApplicationsResponse", ListApplicationsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "applications", &applications)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
        visitor.field(5, "unread_count", &unreadCount)
    }
}
