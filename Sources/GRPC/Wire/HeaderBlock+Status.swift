import GRPCWire
import HTTP2
import Memory
import Protobuf
import RPC

extension HeaderBlock {
    /// Adds the fields that end a call.
    ///
    /// If the details would make the block larger than the peer accepts, they are left out, and the
    /// status is sent without them.
    mutating func append(_ status: Status, _ trailers: Metadata, limit: Int) {
        append("grpc-status", status.code.digits)
        if !status.message.isEmpty {
            PercentCoding.encode(status.message).withUnsafeBytes {
                append("grpc-message", $0, transient: true)
            }
        }
        trailers.write(to: &self)
        guard !status.details.isEmpty, status.code != .ok else { return }
        var digits: [UInt8] = []
        Base64.encode(status.details, into: &digits)
        let name: StaticString = "grpc-status-details-bin"
        let size = listBytes + name.utf8CodeUnitCount + digits.count + 32
        guard size <= min(limit, CallLimits.statusListBytes) else { return }
        digits.withUnsafeBytes { append(name, $0, transient: true) }
    }
}
