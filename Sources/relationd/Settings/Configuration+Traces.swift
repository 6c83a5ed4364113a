import GRPCClient
import GRPCWire
import RPC
import TextFiles
import Traces

// The settings of traces in the forms that the export takes.
extension Configuration {
    /// Where the collector is; nil if nothing is exported.
    var collectorURL: CollectorURL? { text(.traceEndpoint).flatMap { CollectorURL($0) } }

    /// Which calls are traced.
    var traceSampling: TraceSampling {
        text(.traceSample).flatMap { TraceSampling($0) }
            ?? TraceSampling(followsParent: true, share: 0)
    }

    /// How to reach the collector; nil if nothing is exported.
    ///
    /// - Throws: ``FatalError``, which names the file that cannot be used, and no text of it.
    func collector() throws -> CollectorOptions? {
        guard let url = collectorURL else { return nil }
        var options = CollectorOptions(host: url.host, port: url.port)
        options.timeout = .seconds(number(.traceTimeout) ?? 10)
        if url.isEncrypted {
            do throws(TLSSetupError) {
                options.tls = try ClientTLS(authorities: text(.traceCA))
            } catch {
                throw FatalError("\(name(.traceCA)): \(error.description)")
            }
        }
        if let path = text(.traceHeaders) { options.headers = try Self.headers(in: path) }
        return options
    }

    /// The metadata of a file, one `name: value` a line.
    private static func headers(in path: String) throws -> Metadata {
        let bytes: [UInt8]
        do throws(InputFileError) {
            bytes = try SmallFile.bytes(of: path, atMost: TraceLimits.headerFileBytes)
        } catch {
            throw FatalError("the headers \(error)")
        }
        var headers = Metadata()
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = trimmed(line)
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            let location = "line \(index + 1) of the headers \(path)"
            guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
                throw FatalError("\(location) has no colon: it takes name: value")
            }
            let name = String(decoding: trimmed(text[..<colon]), as: UTF8.self)
            let value = String(decoding: trimmed(text[(colon + 1)...]), as: UTF8.self)
            // The texts are not repeated: a wrong line may be a key.
            var header = Metadata()
            header.append(name, value)
            guard header.problem == nil else {
                throw FatalError(
                    """
                    \(location) is none that can be sent: it takes a name in lower case that does \
                    not begin with grpc- or end in -bin, and a value of printable ASCII
                    """)
            }
            headers.append(name, value)
        }
        return headers
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}

/// The address of a collector: `http://127.0.0.1:4317`, or `https` for one over TLS.
struct CollectorURL {
    let isEncrypted: Bool
    let host: String
    let port: Int
    /// Whether it is on this machine.
    let isLocal: Bool

    init?(_ text: String) {
        let schemes = [("http://", false), ("https://", true)]
        guard let (scheme, isEncrypted) = schemes.first(where: { text.hasPrefix($0.0) }) else {
            return nil
        }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        guard let address = try? ListenAddress(argument: String(rest)),
            case .port(let port, let host) = address, port > 0,
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/@?#%".utf8.contains($0) })
        else { return nil }
        self.isEncrypted = isEncrypted
        self.host = host
        self.port = port
        isLocal = address.isLocal
    }
}
