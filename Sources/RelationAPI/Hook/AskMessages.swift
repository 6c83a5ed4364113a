package import Protobuf
package import RelationModel

// The messages of Ask in proto/relation/hook/v1/receiver.proto, where every field is explained. No
// client has them: the server asks receivers.

/// The request of Ask.
package struct AskRequest: CodedMessage, Equatable {
    package var hookID = ""
    package var appID: UInt32 = 0
    package var id = ""
    package var call = ""
    package var userID = ""
    package var dryRun = false
    package var timeMs: Int64 = 0
    package var requestID = ""
    package var ownCredential = false
    package var addType = AddType.unspecified
    package var force = false
    package var items: [AskItem] = []
    package var administrator = ""

    package init() {}

    @usableFromInline package static let schema = Schema("relation.hook.v1.AskRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "hook_id", &hookID)
        visitor.field(2, "app_id", &appID)
        visitor.field(3, "id", &id)
        visitor.field(4, "call", &call)
        visitor.field(5, "user_id", &userID)
        visitor.field(6, "dry_run", &dryRun)
        visitor.field(7, "time_ms", &timeMs)
        visitor.field(8, "request_id", &requestID)
        visitor.field(9, "own_credential", &ownCredential)
        visitor.field(10, "add_type", &addType)
        visitor.field(11, "force", &force)
        visitor.field(12, "items", &items)
        visitor.field(60, "administrator", &administrator)
    }
}

/// One item of a call.
package struct AskItem: CodedMessage, Equatable {
    package var userID = ""
    package var texts: [String: String] = [:]
    package var source = ""
    package var groups: [String] = []
    package var responseType: FriendResponseType?
    package var fields: [String] = []

    package init() {}

    @usableFromInline package static let schema = Schema("relation.hook.v1.AskItem", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "texts", &texts)
        visitor.field(3, "source", &source)
        visitor.field(4, "groups", &groups)
        visitor.field(5, "response_type", &responseType)
        visitor.field(6, "fields", &fields)
    }
}

/// The response of Ask.
package struct AskResponse: CodedMessage, Equatable {
    package var code: Int32 = 0
    package var info = ""
    package var items: [AnsweredItem] = []

    package init() {}

    @usableFromInline package static let schema = Schema("relation.hook.v1.AskResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "info", &info)
        visitor.field(3, "items", &items)
    }
}

/// The answer about one item.
package struct AnsweredItem: CodedMessage, Equatable {
    package var index: Int32 = 0
    package var code: Int32 = 0
    package var info = ""
    package var texts: [String: String] = [:]

    package init() {}

    @usableFromInline package static let schema = Schema("relation.hook.v1.AnsweredItem", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "index", &index)
        visitor.field(2, "code", &code)
        visitor.field(3, "info", &info)
        visitor.field(4, "texts", &texts)
    }
}
