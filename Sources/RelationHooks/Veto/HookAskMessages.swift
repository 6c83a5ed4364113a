import Protobuf
import RelationModel

/// A question as our own form has it: the `data` of a CloudEvent.
struct HookAskMessage: CodedMessage, Equatable {
    var question = HookQuestion.unspecified
    var userID = ""
    var requestID = ""
    var dryRun = false
    var ownCredential = false
    var addType = AddType.unspecified
    var force = false
    var items: [HookAskItemMessage] = []
    var administrator = ""

    init() {}

    init(_ ask: HookAsk) {
        question = ask.question
        userID = ask.userID
        requestID = ask.requestID
        dryRun = ask.isDryRun
        ownCredential = ask.isOwn
        addType = ask.addType
        force = ask.isForced
        items = ask.items.map(HookAskItemMessage.init)
        administrator = ask.administrator
    }

    static let schema = Schema("relation.hook.Ask", Self.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "question", &question)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "request_id", &requestID)
        visitor.field(4, "dry_run", &dryRun)
        visitor.field(5, "own_credential", &ownCredential)
        visitor.field(6, "add_type", &addType)
        visitor.field(7, "force", &force)
        visitor.field(8, "items", &items)
        visitor.field(60, "administrator", &administrator)
    }
}

/// One item of a question.
struct HookAskItemMessage: CodedMessage, Equatable {
    var userID = ""
    var texts: [String: String] = [:]
    var source = ""
    var groups: [String] = []
    var responseType: FriendResponseType?
    var fields: [String] = []

    init() {}

    init(_ item: HookAsk.Item) {
        userID = item.userID
        texts = item.texts
        source = item.source
        groups = item.groups
        responseType = item.responseType
        fields = item.fields
    }

    static let schema = Schema("relation.hook.AskItem", Self.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "texts", &texts)
        visitor.field(3, "source", &source)
        visitor.field(4, "groups", &groups)
        visitor.field(5, "response_type", &responseType)
        visitor.field(6, "fields", &fields)
    }
}

/// An answer in our own form: an empty one allows the call.
struct HookSaidMessage: CodedMessage {
    /// 0, or the code with which all items are refused.
    var code: Int32 = 0
    var info = ""
    var items: [HookSaidItemMessage] = []

    init() {}

    static let schema = Schema("relation.hook.Answer", Self.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "info", &info)
        visitor.field(3, "items", &items)
    }
}

/// The answer to one item; items that are not named are allowed.
struct HookSaidItemMessage: CodedMessage {
    var index: Int32 = 0
    /// 0, or the code with which the item is refused.
    var code: Int32 = 0
    var info = ""
    /// The texts that change, by the names that the question has.
    var texts: [String: String] = [:]

    init() {}

    static let schema = Schema("relation.hook.AnswerItem", Self.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "index", &index)
        visitor.field(2, "code", &code)
        visitor.field(3, "info", &info)
        visitor.field(4, "texts", &texts)
    }
}
