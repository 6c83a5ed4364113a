import RelationClient
import Testing

/// Addresses as people write them.
struct ServerAddressTests {
    @Test(arguments: [
        ("relation.example:7450", ServerAddress.host("relation.example", port: 7450)),
        ("127.0.0.1:1", .host("127.0.0.1", port: 1)), ("[::1]:65535", .host("::1", port: 65_535)),
        ("unix:/run/relation.sock", .unixSocket(path: "/run/relation.sock")),
        ("unix:relation.sock", .unixSocket(path: "relation.sock")),
    ])
    func anAddressIsReadAndWritten(text: String, address: ServerAddress) throws {
        #expect(try ServerAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        ("", "the address is empty: write host:port"),
        (
            "http://relation.example:7450",
            "http://relation.example:7450 is a URL: write relation.example:7450"
        ),
        ("https://[::1]:7450/x?y", "https://[::1]:7450/x?y is a URL: write [::1]:7450"),
        (
            "dns:///relation.example:7450",
            "dns:///relation.example:7450 is a URL: write relation.example:7450"
        ),
        ("https://relation.example/", "https://relation.example/ is a URL: write host:port"),
        ("unix:///run/x", "unix:///run/x is a URL: write unix:/run/x"),
        ("unix:", "unix: has no path: write unix:/path/of/the/socket"),
        (
            "relation.example",
            "relation.example has no port: write relation.example:port, such as "
                + "relation.example:7450"
        ),
        (
            "relation.example:",
            "relation.example has no port: write relation.example:port, such as "
                + "relation.example:7450"
        ),
        ("7450", "7450 has no host: write host:7450"),
        ("[::1]", "[::1] has no port: write [::1]:port, such as [::1]:7450"),
        (
            "::1:7450",
            "::1:7450 has several colons: write an IPv6 address in brackets, such as [::1]:7450"
        ),
        ("[::1:7450", "[::1:7450 is not an address: write [address]:port"),
        (":7450", ":7450 has no host: write host:port"),
        ("[]:7450", "[]:7450 has no host: write host:port"),
        ("a b:7450", "a b is not a name of a host: write host:port"),
        ("user@host:7450", "user@host is not a name of a host: write host:port"),
        ("host:0", "the port 0 is not a number from 1 to 65535"),
        ("host:65536", "the port 65536 is not a number from 1 to 65535"),
        ("host:+1", "the port +1 is not a number from 1 to 65535"),
        ("host:7450/path", "the port 7450/path is not a number from 1 to 65535"),
        ("host:https", "the port https is not a number from 1 to 65535"),
    ])
    func aTextThatIsNoAddressIsRefusedInWords(text: String, words: String) {
        do throws(AddressError) {
            _ = try ServerAddress(text)
            Issue.record("\(text) was taken for an address")
        } catch {
            #expect(error.description == words)
        }
    }

    @Test func thePathOfASocketHasAsManyBytesAsTheSystemTakes() throws {
        let longest = "/" + String(repeating: "x", count: 106)
        #expect(try ServerAddress("unix:" + longest) == .unixSocket(path: longest))
        do throws(AddressError) {
            _ = try ServerAddress("unix:" + longest + "x")
            Issue.record("the path was taken")
        } catch {
            #expect(error.description == "the path of the socket has 108 bytes: it may have 107")
        }
    }
}
