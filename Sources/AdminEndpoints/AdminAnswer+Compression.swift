import Compression
import GRPC
import NIOHTTP1

extension AdminAnswer {
    /// The answer as the client of `request` takes it: compressed only if the client says so.
    func accepted(by request: HTTPRequestHead?) -> AdminAnswer {
        guard isCompressed else { return self }
        let list = request?.headers["accept-encoding"].joined(separator: ",") ?? ""
        let isAccepted = Array(list.utf8).withUnsafeBytes { MessageEncoding.gzip.isIn($0) }
        return isAccepted ? self : expanded
    }

    private var expanded: AdminAnswer {
        let inflater = Inflater()
        let bytes = content.withUnsafeBytes { packed in
            (try? inflater.inflate(packed, .gzip, limit: AdminLimits.contentBytes))
                .map { Array($0) }
        }
        guard let bytes else { return AdminAnswer(status: 500, "the content is damaged\n") }
        return AdminAnswer(status: status, kind, content: bytes, policy: policy)
    }
}
