import RelationAPI
import RelationChanges
import RelationCore
import RelationModel
import RelationSuite

@testable import RelationCalls
@testable import RelationService

extension ServiceHistory {
    /// Acquires a consumer, acknowledges as one of its readers, or deletes it.
    mutating func consumer() -> ServiceStep {
        let name = ["orders", "mails", "audit", "no name"][number(20) == 0 ? 3 : number(3)]
        switch number(9) {
        case 0..<4:
            var request = AcquireConsumerRequest()
            request.consumer = name
            request.start = [.unspecified, .state, .now][number(3)]
            request.reset = number(3) == 0
            request.takeOver = number(2) == 0
            request.leaseMs = [0, 1_000, 60_000][number(3)]
            return ServiceStep(ChangeMethods.acquireConsumer, request, ConsumerHandlers.acquire)
        case 4..<8: return acknowledge(name)
        default:
            var request = DeleteConsumerRequest()
            request.consumer = name
            return ServiceStep(ChangeMethods.deleteConsumer, request, ConsumerHandlers.delete)
        }
    }

    /// Acknowledges as the present reader, which the harness's world tells when the call is made.
    private mutating func acknowledge(_ name: String) -> ServiceStep {
        var request = AcknowledgeChangesRequest()
        request.consumer = name
        request.reader = 1
        let offset = Int64(number(3)) - 1
        let isToken = number(3) > 0
        let isFenced = number(5) == 0
        request.release = number(3) == 0
        return ServiceStep(
            ChangeMethods.acknowledgeChanges, request,
            { request, call, violations in
                Self.acknowledge(
                    request, call, &violations, isFenced ? 1 : nil, isToken ? offset : nil)
            })
    }

    /// The work of the reader that holds the consumer in the call's transaction.
    ///
    /// A history knows no answers, so the reader and its token are those of the stored row. An
    /// offset of the position is that of the token: behind it, at it or ahead.
    private static func acknowledge(
        _ request: AcknowledgeChangesRequest, _ call: Call, _ violations: inout Violations,
        _ reader: Int64?, _ offset: Int64?
    ) -> Work<AcknowledgeChangesResponse> {
        var work = ConsumerHandlers.acknowledge(request, call, &violations)
        let name = violations.consumer(request.consumer)
        let keys = work.keys
        work = Work(
            .one { (ledger) throws(StorageError) in
                let known = try Consumers.record(
                    of: name, app: ledger.app, in: ledger.transaction)
                var news = Consumers.Acknowledgement(
                    ConsumerClaim(name, reader: reader ?? known?.reader ?? 1))
                news.releases = request.release
                if let offset {
                    news.position = Consumers.Position(
                        max(0, (known?.position ?? 0) + offset), in: ledger.app.history)
                }
                guard case .done(_, let changed) = try Consumers.acknowledge(news, in: ledger)
                else { return .failure(.readerFenced(present: known?.reader ?? 0)) }
                return .success(
                    WriteResult(response: AcknowledgeChangesResponse(), applied: changed))
            })
        work.keys = keys
        return work
    }
}
