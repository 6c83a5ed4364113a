/// The fields of an audit's record that its hash covers.
///
/// The server's row and the message of the contract both have them, so both are hashed alike.
package protocol AuditContent {
    var sequence: Int64 { get }
    var kind: AuditKind { get }
    var timeMs: Int64 { get }
    var method: String { get }
    var caller: String { get }
    var callerName: String { get }
    var userDigest: [UInt8] { get }
    var code: Int32 { get }
    var reason: String { get }
    var requestID: String { get }
    var requestBytes: Int64 { get }
    var applied: Bool { get }
    var address: String { get }
    var count: Int64 { get }
    var subject: Int64 { get }
    var subjectHash: [UInt8] { get }
    /// The digest of ``requestID``, and behind it the random bytes with which it was made.
    var requestDigest: [UInt8] { get }
}

extension AuditContent {
    /// The bytes that are hashed after the hash of the record before.
    ///
    /// They are never made otherwise: files of old audits are verified by them. A record of an
    /// older version has its request id among them, a later one the digest of it, at the end.
    package var hashedBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(400)
        bytes.append(number: sequence)
        bytes.append(number: Int64(kind.rawValue))
        bytes.append(number: timeMs)
        bytes.append(counted: method.utf8)
        bytes.append(counted: caller.utf8)
        bytes.append(counted: callerName.utf8)
        bytes.append(counted: userDigest)
        bytes.append(number: Int64(code))
        bytes.append(counted: reason.utf8)
        bytes.append(counted: (requestDigest.isEmpty ? requestID : "").utf8)
        bytes.append(number: requestBytes)
        bytes.append(number: applied ? 1 : 0)
        bytes.append(counted: address.utf8)
        bytes.append(number: count)
        bytes.append(number: subject)
        bytes.append(counted: subjectHash)
        if !requestDigest.isEmpty {
            bytes.append(counted: requestDigest.prefix(Limits.auditDigestBytes))
        }
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: Int64) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(counted bytes: some Collection<UInt8>) {
        append(number: Int64(bytes.count))
        append(contentsOf: bytes)
    }
}
