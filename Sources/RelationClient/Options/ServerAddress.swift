internal import GRPCClient

/// Where a server is: a host with a port, or a socket on the same machine.
///
/// ```swift
/// let server = ServerAddress.host("relation.example", port: 7450)
/// let same = try ServerAddress("relation.example:7450")
/// ```
///
/// The name of a host may have several addresses. Then calls go to all of them, one after the
/// other.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    let target: ServerTarget

    /// A host, by its name or by its IP address.
    public static func host(_ name: String, port: Int) -> ServerAddress {
        ServerAddress(target: .host(name, port: port))
    }

    /// A socket on the same machine, by the path of its file.
    public static func unixSocket(path: String) -> ServerAddress {
        ServerAddress(target: .unixSocket(path: path))
    }

    /// Reads an address as people write it: `relation.example:7450`, `127.0.0.1:7450`,
    /// `[::1]:7450`, or `unix:/run/relation.sock`.
    ///
    /// - Throws: ``AddressError``, which says what to write instead.
    public init(_ text: String) throws(AddressError) {
        do throws(TargetError) {
            target = try ServerTarget(text)
        } catch {
            throw AddressError(error.description)
        }
    }

    private init(target: ServerTarget) {
        self.target = target
    }

    /// The address as ``init(_:)`` reads it.
    public var description: String { target.description }
}

/// Why a text is not an address of a server.
public struct AddressError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason in words, which say what to write instead.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
