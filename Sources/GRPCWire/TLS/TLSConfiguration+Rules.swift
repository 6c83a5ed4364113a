import NIOCore
package import NIOSSL

extension TLSConfiguration {
    /// Sets the rules of RFC 9113 for TLS under HTTP/2.
    ///
    /// They ask for version 1.2 or later, and for the protocol's name in the handshake. Version 1.2
    /// may use only suites with forward secrecy that authenticate what they encrypt.
    package mutating func setRules() {
        minimumTLSVersion = .tlsv12
        applicationProtocols = ["h2"]
        cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
            .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        shutdownTimeout = .seconds(CallLimits.closeSeconds)
    }
}
