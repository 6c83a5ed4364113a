import Protobuf
import RelationCalls
import RelationChanges
import RelationCore
import RelationModel
import Webhooks

/// The events and requests of a hook, in its form.
struct HookForms {
    let app: App
    let hook: HookRecord

    private var source: String { "/apps/\(app.id)" }

    /// The name of an event: equal each time it is sent, and of one history of the app.
    private func id(_ position: Int64) -> String { "\(app.id)-\(app.history.text)-\(position)" }

    /// - Parameter now: The time from which the age of the event counts.
    func event(_ event: FeedPage.Event, at now: Int64) -> DeliveryEvent {
        let prefix = "CHANGE_KIND_"
        let name = event.kind.name ?? "\(prefix)\(event.kind.rawValue)"
        var content = CloudEvent(
            id: id(event.position), source: source,
            type: CloudEvent.type(ofChange: String(name.dropFirst(prefix.count))),
            subject: event.user.text, timeMilliseconds: event.timeMs,
            data: Array(event.json.utf8))
        content.extensions = [("position", "\(event.position)")]
        return DeliveryEvent(
            user: event.user.text, position: event.position, timeMilliseconds: now, kind: name,
            body: content.json())
    }

    /// The marker of events that are gone.
    func trimmed(after position: Int64, to end: Int64, at now: Int64) -> DeliveryEvent {
        let content = CloudEvent.trimmed(
            id: "\(id(end))-trimmed", source: source, timeMilliseconds: now, after: position,
            to: end)
        return DeliveryEvent(
            user: "", position: end, timeMilliseconds: now, kind: "trimmed", body: content.json())
    }

    func request(_ batch: DeliveryBatch, at now: Int64) -> HookRequest {
        let isBatch = hook.batchSize > 1
        let body = isBatch ? CloudEvent.batch(batch.events.map(\.body)) : batch.events[0].body
        let secrets = hook.secrets.filter { $0.validUntilMs.map { $0 >= now } ?? true }
        let headers = StandardWebhooks.headers(
            id: name(of: batch), seconds: now / 1_000, body: body,
            secrets: secrets.compactMap { WebhookSecret($0.text) })
        return HookRequest(
            url: hook.url, headers: headers,
            contentType: isBatch ? CloudEvent.batchContentType : CloudEvent.contentType,
            body: body)
    }

    /// The name of a request: that of its events.
    private func name(of batch: DeliveryBatch) -> String {
        let first = eventID(batch.events[0])
        guard let last = batch.events.last, batch.events.count > 1 else { return first }
        return "\(first)-\(last.position)"
    }

    func eventID(_ event: DeliveryEvent) -> String {
        event.kind == "trimmed" ? "\(id(event.position))-trimmed" : id(event.position)
    }

    func failure(_ batch: DeliveryBatch, _ result: HookResult, at now: Int64) -> HookFailureRecord? {
        let cause: String
        switch result.outcome {
        case .delivered: return nil
        case .failed(let why, _), .busy(let why, _), .gone(let why), .rejected(let why):
            cause = why
        }
        var record = HookFailureRecord()
        record.timeMs = now
        let users = Set(batch.events.map(\.user))
        record.userID = users.count == 1 ? batch.events[0].user : ""
        record.events = Int32(batch.events.count)
        record.eventID = eventID(batch.events[0])
        record.attempt = Int32(clamping: batch.attempt)
        record.status = Int32(clamping: result.status)
        record.cause = String(decoding: cause.utf8.prefix(Limits.hookCauseBytes), as: UTF8.self)
        return record
    }

    func failure(_ givenUp: DeliveryReport.GivenUp, _ status: Int, at now: Int64)
        -> HookFailureRecord
    {
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
        return record
    }
}
