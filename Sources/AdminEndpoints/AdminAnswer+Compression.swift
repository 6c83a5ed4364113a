import Compression
import GRPCWire
import NIOHTTP1

extension AdminAnswer {
    /// The answer as the client of `request` takes it: compressed only if the client says so.
    ///
    /// Scripts, styles and long JSON are compressed for it here: the console comes through tunnels.
    func accepted(by request: HTTPRequestHead?) -> AdminAnswer {
        let isCompressible =
            [.script, .style, .json].contains(kind) && content.count >= AdminLimits.packedBytes
        guard isCompressed || isCompressible else { return self }
        let list = request?.headers["accept-encoding"].joined(separator: ",") ?? ""
        let isAccepted = Array(list.utf8).withUnsafeBytes { MessageEncoding.gzip.isIn($0) }
        guard isCompressed else { return isAccepted ? compressed : self }
        return isAccepted ? self : expanded
    }

    private var compressed: AdminAnswer {
        let deflater = Deflater(.gzip)
        let bytes = content.withUnsafeBytes { plain in
            deflater?.deflate(plain).map { Array($0) }
        }
        guard let bytes else { return self }
        return AdminAnswer(
            status: status, kind, content: bytes, policy: policy, isCompressed: true)
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
