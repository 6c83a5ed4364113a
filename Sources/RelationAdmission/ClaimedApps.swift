import Compression
package import GRPC
import RelationAccess
import RelationCore

/// The app for which each call says it is made, by its credential and its metadata.
///
/// A fleet sends the call to the database of that app, where it is checked. So a wrong claim leads
/// to a refusal and nowhere else.
package final class ClaimedApps: Sendable {
    private let isOpen: Bool
    /// One for each loop.
    private let signatures: [KnownSignatures]

    /// - Parameters:
    ///   - loops: The number of loops that ask it.
    ///   - isOpen: Whether callers need no credential.
    package init(loops: Int, isOpen: Bool) {
        self.isOpen = isOpen
        signatures = (0..<loops).map { _ in KnownSignatures() }
    }

    /// The app; nil if the call claims none, or if what it shows cannot be read.
    package func app(of call: ServerCall) -> UInt32? {
        if isOpen {
            guard let text = call.metadataBytes(CredentialAuthenticator.appHeader) else {
                return Authenticator.defaultApp
            }
            return AppNumberText.read(text)
        }
        guard let shown = try? PresentedCredential(call) else { return nil }
        let claimed: UInt32?
        switch shown.kind {
        case .key: claimed = Self.app(ofKey: shown.bytes)
        case .signature, .administrator: claimed = signatures[call.loopIndex].app(of: shown)
        case .certificate: claimed = nil
        }
        // An operator's key is of no app.
        guard let claimed, claimed != App.registry.id else { return shown.namedApp }
        return claimed
    }

    /// The number at the beginning of an API key.
    private static func app(ofKey bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return AppNumberText.read(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    }
}

/// The apps of the users' signatures that one loop has read.
///
/// `@unchecked Sendable`: only that loop touches it.
private final class KnownSignatures: @unchecked Sendable {
    private struct Known {
        let bytes: [UInt8]
        let app: UInt32
    }

    @exclusivity(unchecked) private var known: [Known?]
    private let inflater = Inflater()

    init() {
        known = Array(repeating: nil, count: AdmissionLimits.rememberedCallers)
    }

    func app(of shown: PresentedCredential) -> UInt32? {
        let slot = RecognisedCallers.slot(of: shown)
        if let found = known[slot],
            found.bytes.withUnsafeBytes({ ConstantTime.areEqual($0, shown.bytes) })
        {
            return found.app
        }
        guard let app = (try? UserSig(reading: shown.bytes, inflater))?.appID else { return nil }
        known[slot] = Known(bytes: Array(shown.bytes), app: app)
        return app
    }
}
