import NIOSSL

/// The time of day by which certificates are valid: milliseconds since 1970, by a clock that may be
/// set.
package typealias WallClock = @Sendable () -> Int64

/// The time from which, and the time until which, a certificate is valid.
struct CertificateSpan: Equatable {
    /// The first millisecond in which the certificate is valid.
    let beginMs: Int64
    /// The first millisecond in which the certificate is no longer valid.
    private(set) var endMs: Int64

    init(beginMs: Int64, endMs: Int64) {
        self.beginMs = beginMs
        self.endMs = endMs
    }

    /// The span of `certificate`, which includes the last second that the certificate names.
    init(_ certificate: NIOSSLCertificate) {
        beginMs = Int64(certificate.notValidBefore) * 1_000
        endMs = (Int64(certificate.notValidAfter) + 1) * 1_000
    }

    /// The same span, cut at `endMs` if it ends later.
    func ending(by endMs: Int64) -> CertificateSpan {
        CertificateSpan(beginMs: beginMs, endMs: min(self.endMs, endMs))
    }

    /// The protocol violation of a client that shows the certificate at `nowMs`; nil if it is valid
    /// then.
    func violation(at nowMs: Int64) -> StaticString? {
        if nowMs < beginMs { return "certificate_not_yet_valid" }
        return nowMs < endMs ? nil : "expired_certificate"
    }
}
