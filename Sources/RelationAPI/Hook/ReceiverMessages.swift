package import Protobuf

// The messages of Deliver in proto/relation/hook/v1/receiver.proto, where every field is explained.
// No client has them: the server sends them to receivers.

/// The calls that an app implements, and that the server makes.
package enum ReceiverMethods {
    package static let service = "relation.hook.v1.HookReceiverService"
    package static let deliver = "/\(service)/Deliver"
    package static let ask = "/\(service)/Ask"
}

/// The request of Deliver.
package typealias DeliverRequest = DeliverRequestForm<HookEvent>

/// ``DeliverRequest`` as the service has it: its events are kept as their bytes.
package typealias DeliverRequestView = DeliverRequestForm<Encoded<HookEvent>>

/// The request of Deliver.
package struct DeliverRequestForm<Row: Message>: Message {
    package var hookID = ""
    package var appID: UInt32 = 0
    package var attempt: Int32 = 0
    package var events: [Row] = []

    package init() {}
}

extension DeliverRequestForm: CodedMessage where Row: CodedRow {
    @usableFromInline package static var schema: Schema { deliverRequest.schema(Row.self) }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "hook_id", &hookID)
        visitor.field(2, "app_id", &appID)
        visitor.field(3, "attempt", &attempt)
        visitor.rows(4, "events", &events)
    }
}

private let deliverRequest = FormSchemas(
    "relation.hook.v1.DeliverRequest", DeliverRequest.self, DeliverRequestView.self)

/// An event on its way to a receiver.
package struct HookEvent: CodedMessage, CodedRow {
    package var id = ""
    package var position: Int64 = 0
    package var userID = ""
    package var content: Content?
    package var administrator = ""

    package init() {}

    package enum Content: OneOf {
        case change(ChangeEvent)
        case trimmed(TrimmedEvents)
        case test(TestEvent)

        @usableFromInline package static func visit(
            _ value: inout Content?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                4, "change", &value,
                { if case .change(let change) = $0 { change } else { nil } }, Content.change)
            cases.field(
                5, "trimmed", &value,
                { if case .trimmed(let events) = $0 { events } else { nil } }, Content.trimmed)
            cases.field(
                6, "test", &value, { if case .test(let test) = $0 { test } else { nil } },
                Content.test)
        }
    }

    @usableFromInline package static let schema = Schema("relation.hook.v1.HookEvent", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "id", &id)
        visitor.field(2, "position", &position)
        visitor.field(3, "user_id", &userID)
        visitor.oneof("content", &content)
        visitor.field(60, "administrator", &administrator)
    }
}

/// The marker of events that are gone.
package struct TrimmedEvents: CodedMessage {
    package var afterPosition: Int64 = 0
    package var toPosition: Int64 = 0

    package init() {}

    @usableFromInline package static let schema = Schema(
        "relation.hook.v1.TrimmedEvents", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "after_position", &afterPosition)
        visitor.field(2, "to_position", &toPosition)
    }
}

/// The event of a test, which says nothing.
package struct TestEvent: CodedMessage {
    package init() {}

    @usableFromInline package static let schema = Schema("relation.hook.v1.TestEvent", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {}
}

/// The response of Deliver.
package struct DeliverResponse: CodedMessage {
    package init() {}

    @usableFromInline package static let schema = Schema(
        "relation.hook.v1.DeliverResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {}
}
