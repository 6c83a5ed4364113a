import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationChanges
import RelationCore
import RelationModel

/// The calls of ChangeService about consumers.
enum ConsumerHandlers {
    static func register(in router: Router) {
        router.write(ChangeMethods.acquireConsumer, acquire)
        router.write(ChangeMethods.acknowledgeChanges, acknowledge)
        router.read(ChangeMethods.listConsumers, list)
        router.write(ChangeMethods.deleteConsumer, delete)
    }

    static func acquire(
        _ request: AcquireConsumerRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<AcquireConsumerResponse> {
        var wish = Consumers.Acquisition(violations.consumer(request.consumer))
        violations.known(request.start, "start")
        wish.start = start(of: request, call.app, &violations)
        wish.resets = request.reset
        wish.takesOver = request.takeOver
        let leases = Limits.consumerLeaseMs
        if request.leaseMs != 0 {
            wish.leaseMs = request.leaseMs
            if !leases.contains(request.leaseMs) {
                violations.add(
                    "lease_ms", "must be 0, or \(leases.lowerBound) to \(leases.upperBound)")
            }
        }
        let name = wish.name
        var work = Work<AcquireConsumerResponse>(
            .one { [wish] (ledger) throws(StorageError) in
                switch try Consumers.acquire(wish, in: ledger) {
                case .done(let record, let feed):
                    var response = AcquireConsumerResponse()
                    response.consumer = Consumer(name, record, feed, of: ledger.app)
                    return .success(WriteResult(response: response, applied: true))
                case .foreignPosition: return .failure(.foreignResumeToken)
                case .busy(let record):
                    return .failure(
                        RPCError(
                            .failedPrecondition, .consumerBusy,
                            "consumer: another reader holds it, and its lease is not over",
                            metadata: [
                                "reader": "\(record.reader)",
                                "expire_time_ms": "\(record.leaseEndMs)",
                            ]))
                case .full:
                    let limit = ledger.limits.consumers
                    return .failure(
                        .full(
                            .tooManyConsumers, "the app", "consumers", limit, actual: limit))
                }
            })
        Consumers.keysForAcquiring(name, of: call.app, into: &work.keys)
        return work
    }

    private static func start(
        of request: AcquireConsumerRequest, _ app: App, _ violations: inout Violations
    ) -> Consumers.Start {
        guard request.start == .token else {
            if !request.resumeToken.isEmpty {
                violations.add("resume_token", "may be given only with CONSUMER_START_TOKEN")
            }
            return request.start == .now ? .now : .state
        }
        guard !request.resumeToken.isEmpty else {
            violations.add("resume_token", "must be given with CONSUMER_START_TOKEN")
            return .state
        }
        return violations.position(request.resumeToken, of: app).map { .after($0) } ?? .state
    }

    static func acknowledge(
        _ request: AcknowledgeChangesRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<AcknowledgeChangesResponse> {
        var news = Consumers.Acknowledgement(
            violations.claim(request.consumer, "consumer", request.reader, "reader"))
        if !request.resumeToken.isEmpty {
            news.position = violations.position(request.resumeToken, of: call.app)
        }
        news.releases = request.release
        var work = Work<AcknowledgeChangesResponse>(
            .one { [news] (ledger) throws(StorageError) in
                switch try Consumers.acknowledge(news, in: ledger) {
                case .done(let record, let changed):
                    var response = AcknowledgeChangesResponse()
                    response.resumeToken = ResumeToken.text(of: record, app: ledger.app)
                    response.expireTimeMs = record.leaseEndMs
                    return .success(WriteResult(response: response, applied: changed))
                case .fenced(let present): return .failure(.readerFenced(present: present))
                case .foreignPosition: return .failure(.foreignResumeToken)
                }
            })
        Consumers.keys(of: news.claim.name, app: call.app, into: &work.keys)
        return work
    }

    static func list(
        _ request: ListConsumersRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListConsumersResponse> {
        if call.isOwn { violations.refuse(.forServices) }
        let app = call.app
        let page = KeyedPage(
            request.pageSize, request.pageToken, of: "ListConsumers \(mark: app)", &violations)
        return Reading { (transaction) throws(StorageError) in
            let all = try Consumers.list(of: app, in: transaction)
            let feed = try Feed.state(of: app, in: transaction)
            let shown = page.cut(all, by: \.name.text)
            var response = ListConsumersResponse()
            response.consumers = shown.rows.map { Consumer($0.name, $0.record, feed, of: app) }
            response.nextPageToken = shown.nextToken
            response.totalSize = Int32(all.count)
            return response
        }
    }

    static func delete(
        _ request: DeleteConsumerRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DeleteConsumerResponse> {
        let name = violations.consumer(request.consumer)
        var work = Work<DeleteConsumerResponse>(
            .one { (ledger) throws(StorageError) in
                let changed = try Consumers.delete(name, in: ledger)
                return .success(
                    WriteResult(response: DeleteConsumerResponse(), applied: changed))
            })
        Consumers.keys(of: name, app: call.app, into: &work.keys)
        return work
    }
}

extension Consumer {
    fileprivate init(
        _ name: ConsumerName, _ record: ConsumerRecord, _ feed: FeedState, of app: App
    ) {
        self.init()
        consumer = name.text
        reader = record.reader
        resumeToken = ResumeToken.text(of: record, app: app)
        createTimeMs = record.createdMs
        acquireTimeMs = record.acquiredMs
        acknowledgeTimeMs = record.acknowledgedMs
        expireTimeMs = record.leaseEndMs
        waitingEvents = record.waitingEvents(of: feed, in: app.history)
        isTrimmed = record.isTrimmed(in: feed, of: app.history)
    }
}

extension Violations {
    /// The position that a token names; adds a violation if that is none of the app's present
    /// history.
    fileprivate mutating func position(
        _ token: String, of app: App
    ) -> Consumers.Position? {
        guard let position = ResumeToken.position(token, of: app),
            position != ResumeToken.nowhere
        else {
            add(
                "resume_token", "is not a token of the present history of this app",
                reason: .invalidResumeToken)
            return nil
        }
        return Consumers.Position(position, in: app.history)
    }
}

extension RPCError {
    /// The app got another history after the call was admitted.
    fileprivate static var foreignResumeToken: RPCError {
        var violations = Violations()
        violations.add(
            "resume_token", "is not a token of the present history of this app",
            reason: .invalidResumeToken)
        return violations.error
    }
}
