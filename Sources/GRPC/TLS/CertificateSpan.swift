import NIOSSL

/// What time it is, as certificates tell it: milliseconds since 1970, by a clock that may be set.
package typealias WallClock = @Sendable () -> Int64

/// From when until when a certificate is good.
struct CertificateSpan: Equatable {
    /// The first millisecond in which it is good.
    let beginMs: Int64
    /// The first in which it is no more.
    private(set) var endMs: Int64

    init(beginMs: Int64, endMs: Int64) {
        self.beginMs = beginMs
        self.endMs = endMs
    }

    /// That of `certificate`, whose last second belongs to it.
    init(_ certificate: NIOSSLCertificate) {
        beginMs = Int64(certificate.notValidBefore) * 1_000
        endMs = (Int64(certificate.notValidAfter) + 1) * 1_000
    }

    /// The same, and no longer than until `endMs`.
    func ending(by endMs: Int64) -> CertificateSpan {
        CertificateSpan(beginMs: beginMs, endMs: min(self.endMs, endMs))
    }

    /// What is wrong with showing it at `nowMs`; nil if nothing is.
    func offence(at nowMs: Int64) -> StaticString? {
        if nowMs < beginMs { return "certificate_not_yet_valid" }
        return nowMs < endMs ? nil : "expired_certificate"
    }
}
