import NIOSSL

extension BoringSSLError {
    /// The error's message, without file names and line numbers of BoringSSL.
    var words: String {
        switch self {
        case .sslError(let errors), .unknownError(let errors), .invalidSNIName(let errors),
            .failedToSetALPN(let errors):
            errors.map(\.words).joined(separator: ", ")
        case .noError, .zeroReturn, .wantRead, .wantWrite, .wantConnect, .wantAccept,
            .wantX509Lookup, .wantCertificateVerify, .syscallError:
            "\(self)"
        }
    }
}

extension BoringSSLInternalError {
    /// The name in `Error: 1 error:2:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at
    /// ….cc:320`, or the words of `Error:  EOF during handshake`.
    fileprivate var words: String {
        let text = "\(self)"
        guard let mark = text.firstRange(of: ":OPENSSL_internal:") else {
            return String(text.trimmingPrefix("Error:").drop { $0 == " " })
        }
        let name = text[mark.upperBound...]
        // The last " at " is the mark, because the name may be a sentence of the system with
        // another " at ".
        return String(name[..<(name.ranges(of: " at ").last?.lowerBound ?? name.endIndex)])
    }
}
