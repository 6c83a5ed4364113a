import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationChanges
import RelationCore
import RelationModel
import Storage
import Support
import Webhooks

/// The events and requests of a hook, in its form.
struct HookForms {
    let app: App
    let hook: HookRecord

    private var source: String { "/apps/\(app.id)" }

    /// The name of an event: equal each time it is sent, and of one history of the app.
    private func id(_ position: Int64) -> String { "\(app.id)-\(app.history.text)-\(position)" }

    private var isTIM: Bool { hook.form == .timCallbacks }
    private var isGRPC: Bool { hook.form == .grpc }

    /// - Returns: The event to deliver; nil if the form has none of that kind.
    /// - Throws: ``StorageError`` if there is no memory to encode it.
    func event(_ event: FeedPage.Event) throws(StorageError) -> DeliveryEvent? {
        let time = event.timeMs
        if isTIM {
            return TIMCallback(event).map { callback in
                DeliveryEvent(
                    user: event.user.text, position: event.position, timeMilliseconds: time,
                    kind: callback.command, body: callback.json())
            }
        }
        let prefix = "CHANGE_KIND_"
        let name = event.kind.name ?? "\(prefix)\(event.kind.rawValue)"
        if isGRPC {
            var message = HookEvent()
            message.id = id(event.position)
            message.position = event.position
            message.userID = event.user.text
            message.content = event.change.map { .change($0) }
            message.administrator = event.caller.administrator
            return DeliveryEvent(
                user: event.user.text, position: event.position, timeMilliseconds: time,
                kind: name, body: try Self.bytes(of: message))
        }
        var content = CloudEvent(
            id: id(event.position), source: source,
            type: CloudEvent.type(ofChange: String(name.dropFirst(prefix.count))),
            subject: event.user.text, timeMilliseconds: event.timeMs,
            data: Array(event.json.utf8))
        content.extensions = [("position", "\(event.position)")]
        let administrator = event.caller.administrator
        if !administrator.isEmpty { content.extensions.append(("administrator", administrator)) }
        return DeliveryEvent(
            user: event.user.text, position: event.position, timeMilliseconds: time, kind: name,
            body: content.json())
    }

    /// The marker of events that are gone.
    func trimmed(
        after position: Int64, to end: Int64, at now: Int64
    ) throws(StorageError) -> DeliveryEvent {
        if isGRPC {
            var events = TrimmedEvents()
            events.afterPosition = position
            events.toPosition = end
            var message = HookEvent()
            message.id = "\(id(end))-trimmed"
            message.position = end
            message.content = .trimmed(events)
            return DeliveryEvent(
                user: Self.markerUser, position: end, timeMilliseconds: now, kind: Self.trimmedKind,
                body: try Self.bytes(of: message))
        }
        if isTIM {
            let body = """
                {"CallbackCommand":"\(Self.trimmedCommand)","AfterPosition":"\(position)",\
                "ToPosition":"\(end)"}
                """
            return DeliveryEvent(
                user: Self.markerUser, position: end, timeMilliseconds: now, kind: Self.trimmedKind,
                body: Array(body.utf8))
        }
        let content = CloudEvent.trimmed(
            id: "\(id(end))-trimmed", source: source, timeMilliseconds: now, after: position,
            to: end)
        return DeliveryEvent(
            user: Self.markerUser, position: end, timeMilliseconds: now, kind: Self.trimmedKind,
            body: content.json())
    }

    /// Whether an event is the marker of events that are gone.
    static func isMarker(_ event: DeliveryEvent) -> Bool { event.kind == trimmedKind }

    /// The user of markers, which no other event has.
    static let markerUser = ""
    private static let trimmedKind = "trimmed"
    private static let trimmedCommand = "Relation.CallbackTrimmed"

    /// The event of a test of the hook.
    ///
    /// - Parameter time: The time of the test, which no other test of the hook has.
    /// - Throws: ``StorageError`` if there is no memory to encode it.
    func test(at time: Int64) throws(StorageError) -> DeliveryEvent {
        var event = DeliveryEvent(
            user: "", position: time, timeMilliseconds: time, kind: Self.testKind, body: [])
        let hookID = JSONQuote.text(hook.id)
        if isGRPC {
            var message = HookEvent()
            message.id = eventID(event)
            message.content = .test(TestEvent())
            event.body = try Self.bytes(of: message)
        } else if isTIM {
            let body = #"{"CallbackCommand":"\#(Self.testCommand)","HookId":\#(hookID)}"#
            event.body = Array(body.utf8)
        } else {
            let content = CloudEvent(
                id: eventID(event), source: source, type: "relation.v1.test", subject: nil,
                timeMilliseconds: time, data: Array(#"{"hookId":\#(hookID)}"#.utf8))
            event.body = content.json()
        }
        return event
    }

    /// The id of the event of a test.
    func testID(at time: Int64) -> String {
        "\(app.id)-\(app.history.text)-test-\(hook.id)-\(time)"
    }

    private static let testKind = "test"
    private static let testCommand = "Relation.CallbackTest"

    /// - Throws: ``StorageError`` if there is no memory to encode it.
    func request(_ batch: DeliveryBatch, at now: Int64) throws(StorageError) -> HookRequest {
        try request(batch.events, attempt: batch.attempt, at: now)
    }

    /// - Throws: ``StorageError`` if there is no memory to encode it.
    func request(
        _ events: [DeliveryEvent], attempt: Int, at now: Int64
    ) throws(StorageError) -> HookRequest {
        if isTIM { return callback(events[0], at: now) }
        if isGRPC { return try call(events, attempt: attempt, at: now) }
        let isBatch = hook.batchSize > 1
        let body = isBatch ? CloudEvent.batch(events.map(\.body)) : events[0].body
        return HookRequest(
            app: app.id, url: hook.url, headers: signature(of: body, name(of: events), at: now),
            contentType: isBatch ? CloudEvent.batchContentType : CloudEvent.contentType,
            body: body)
    }

    private func call(
        _ events: [DeliveryEvent], attempt: Int, at now: Int64
    ) throws(StorageError) -> HookRequest {
        var message = DeliverRequestView()
        message.hookID = hook.id
        message.appID = app.id
        message.attempt = Int32(clamping: attempt)
        let all = Array(events.map(\.body).joined())
        // `withUnsafeBytes` would lose the error's type.
        let body = try all.withUnsafeBufferPointer { (buffer) throws(StorageError) in
            let bytes = UnsafeRawBufferPointer(buffer)
            var start = 0
            for event in events {
                let end = start + event.body.count
                message.events.append(Encoded(borrowing: .init(rebasing: bytes[start..<end])))
                start = end
            }
            return try Self.encoding { (arena) throws(CodecError) in
                try Coder(DeliverRequestView.self).bytes(message, arena)
            }
        }
        return call(ReceiverMethods.deliver, body, named: name(of: events), at: now)
    }

    /// A call of gRPC to the receiver, signed.
    func call(
        _ method: String, _ body: [UInt8], named name: String, at now: Int64
    ) -> HookRequest {
        var request = HookRequest(
            app: app.id, url: hook.url, headers: signature(of: body, name, at: now),
            contentType: "application/grpc", body: body)
        request.method = method
        return request
    }

    /// The names and values by which a receiver knows who sent a message.
    private func signature(
        of body: [UInt8], _ name: String, at now: Int64
    ) -> [(name: String, value: String)] {
        StandardWebhooks.headers(
            id: name, seconds: now / 1_000, body: body, secrets: signing(at: now))
    }

    private static func bytes(of event: HookEvent) throws(StorageError) -> [UInt8] {
        try encoding { (arena) throws(CodecError) in
            try Coder(HookEvent.self).bytes(event, arena)
        }
    }

    private static func encoding(
        _ body: (Arena) throws(CodecError) -> [UInt8]
    ) throws(StorageError) -> [UInt8] {
        do throws(CodecError) {
            return try Arena.temporary(body)
        } catch {
            throw StorageError(.unavailable, "an event of a hook cannot be encoded: \(error)")
        }
    }

    private func callback(_ event: DeliveryEvent, at now: Int64) -> HookRequest {
        var request = HookRequest(
            app: app.id, url: hook.url, headers: [("webhook-id", eventID(event))],
            contentType: TIMCallback.contentType, body: event.body)
        request.query = TIMQuery.items(
            appID: "\(app.id)",
            command: command(event), token: token(at: now), seconds: now / 1_000)
        request.wantsObject = true
        return request
    }

    /// The secrets that sign a request of our form.
    func signing(at now: Int64) -> [WebhookSecret] {
        hook.secrets.filter { $0.validUntilMs.map { $0 >= now } ?? true }
            .compactMap { WebhookSecret($0.text) }
    }

    /// The token of TIM's `Sign`, which has room for one.
    func token(at now: Int64) -> String? {
        hook.secrets.last { $0.validUntilMs.map { $0 >= now } ?? true }?.text
    }

    private func command(_ event: DeliveryEvent) -> String {
        switch event.kind {
        case Self.trimmedKind: Self.trimmedCommand
        case Self.testKind: Self.testCommand
        default: event.kind
        }
    }

    /// The name of a request: that of its one event, or a digest of the names of all its events.
    ///
    /// A receiver may leave out a request whose name it knows. So requests with other events have
    /// another name.
    private func name(of events: [DeliveryEvent]) -> String {
        let names = events.map(eventID)
        guard names.count > 1 else { return names[0] }
        let digest = Digest.of(Array(names.joined(separator: " ").utf8))
        return "\(app.id)-\(app.history.text)-batch-\(String(hexadecimal: digest.prefix(16)))"
    }

    func eventID(_ event: DeliveryEvent) -> String {
        switch event.kind {
        case Self.trimmedKind: "\(id(event.position))-trimmed"
        case Self.testKind: testID(at: event.position)
        default: id(event.position)
        }
    }

    /// The failure of a request; nil if it was confirmed.
    func failure(
        _ batch: DeliveryBatch, _ result: HookResult, at now: Int64
    ) -> HookFailureRecord? {
        guard let cause = result.cause else { return nil }
        var record = HookFailureRecord()
        record.timeMs = now
        let users = Set(batch.events.map(\.user))
        record.userID = users.count == 1 ? batch.events[0].user : ""
        record.events = Int32(batch.events.count)
        record.eventID = eventID(batch.events[0])
        record.attempt = Int32(clamping: batch.attempt)
        record.status = Int32(clamping: result.status)
        record.cause = cause
        note(batch.events, in: &record)
        return record
    }

    /// The failure of an event that is not sent again.
    func failure(
        _ givenUp: DeliveryReport.GivenUp, _ status: Int, at now: Int64
    ) -> HookFailureRecord {
        var record = HookFailureRecord()
        record.timeMs = now
        record.userID = givenUp.event.user
        record.events = 1
        record.eventID = eventID(givenUp.event)
        record.attempt = Int32(clamping: givenUp.attempts)
        record.status = Int32(clamping: status)
        record.cause = String(
            decoding: givenUp.why.utf8.prefix(Limits.hookCauseBytes), as: UTF8.self)
        record.givenUp = true
        note([givenUp.event], in: &record)
        return record
    }

    /// Notes where the log has the first of the events, so that a replay may begin with it.
    private func note(_ events: [DeliveryEvent], in record: inout HookFailureRecord) {
        guard let first = events.map(\.position).min() else { return }
        record.afterPosition = first - 1
        record.historyID = app.history.id
    }
}
