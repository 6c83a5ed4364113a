import PeerSupport

/// A reader of untrusted bytes, and the promises that must hold for any bytes.
///
/// The same targets are tried three ways. Every test run tries the stored inputs and some new ones;
/// libFuzzer tries as many as time allows.
struct FuzzTarget: Sendable {
    /// The form of its inputs, so that they can be changed without breaking them.
    enum Form: Sendable {
        case bytes, text
        /// One byte of options, and frames of HTTP/2 as the named side sends them.
        case frames(RandomFrames.Side)
    }

    let name: String
    let form: Form

    /// The longest input that is tried.
    let maxBytes: Int

    /// Throws ``Broken`` if a promise does not hold.
    let check: @Sendable ([UInt8]) throws -> Void

    static let all = [
        SessionTargets.server, SessionTargets.client, ConnectionTarget.target,
        ConnectionTarget.http1, MessageTargets.wire, MessageTargets.json, JSONTargets.read,
        JSONTargets.write,
        SignatureTarget.target, TokenTargets.page, TokenTargets.resume,
    ]
}

/// The promise that did not hold.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(Broken) {
    if !condition { throw Broken(description: what()) }
}

extension [UInt8] {
    /// A number that is the same for the same bytes, from which choices are derived.
    var fingerprint: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in self { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return hash
    }

    /// The same bytes, cut into pieces of `lengths` bytes, chosen by the bytes themselves.
    func pieces(of lengths: ClosedRange<Int>) -> [[UInt8]] {
        var random = SeededNumbers(seed: fingerprint)
        var pieces: [[UInt8]] = []
        var rest = self[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: lengths, using: &random))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
