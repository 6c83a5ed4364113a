import PeerSupport
import Testing
import Webhooks

/// The texts of addresses that are taken, and those that a tenant might try to reach more (SSRF).
@Suite struct WebhookURLTests {
    private static let open: AddressPolicy = {
        var policy = AddressPolicy()
        policy.allowsPlainHTTP = true
        policy.allowsPrivateAddresses = true
        return policy
    }()

    private static func refusal(_ text: String, _ policy: AddressPolicy) -> AddressRefusal? {
        do throws(AddressRefusal) {
            _ = try WebhookURL(text, policy)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("https://a.example", "a.example", 443, "/", "a.example"),
        ("HTTPS://A.Example/Path?q=1", "a.example", 443, "/Path?q=1", "a.example"),
        ("https://a.example?q", "a.example", 443, "/?q", "a.example"),
        ("https://a.example:443/", "a.example", 443, "/", "a.example"),
        ("https://a.example:8443/", "a.example", 8_443, "/", "a.example:8443"),
        (
            "https://xn--bcher-kva.example/a%2Fb@c", "xn--bcher-kva.example", 443, "/a%2Fb@c",
            "xn--bcher-kva.example"
        ),
        ("https://a_b.1a.example/", "a_b.1a.example", 443, "/", "a_b.1a.example"),
        ("https://8.8.4.4/", "8.8.4.4", 443, "/", "8.8.4.4"),
        ("https://[2606:4700::1111]/", "2606:4700::1111", 443, "/", "[2606:4700::1111]"),
        (
            "https://[2606:4700:0:0::1111]:8443/x", "2606:4700::1111", 8_443, "/x",
            "[2606:4700::1111]:8443"
        ),
    ])
    func partsAreRead(
        text: String, host: String, port: Int, target: String, authority: String
    ) throws {
        let url = try WebhookURL(text, AddressPolicy())
        #expect(url.host == host && url.port == port && url.target == target)
        #expect(url.authority == authority && url.isTLS)
        #expect(url.shown == "https://\(authority)/…")
    }

    @Test(arguments: [
        ("http://a.example/", AddressRefusal.notHTTPS), ("file:///etc/passwd", .notHTTPS),
        ("gopher://a.example/", .notHTTPS), ("ftp://a.example", .notHTTPS),
        ("//a.example", .notHTTPS),
        ("a.example", .notHTTPS), ("", .notHTTPS), ("https:a.example", .notHTTPS),
        ("https:/a.example", .notHTTPS), ("unix:/run/socket", .notHTTPS),
        (" https://a", .badCharacter),
        ("https://a.example/ b", .badCharacter), ("https://a.example/\r\nx: y", .badCharacter),
        ("https://a.example\t/", .badCharacter), ("https://a.example/\u{0}", .badCharacter),
        ("https://a.example/\u{7F}", .badCharacter),
        ("https://a.example\\@b.example/", .badCharacter),
        ("https://a.example/é", .badCharacter), ("https://a.example/%", .badCharacter),
        ("https://a.example/%zz", .badCharacter), ("https://a.example/%2", .badCharacter),
        ("https://a.example/{b}", .badCharacter), ("https://a.example/<b>", .badCharacter),
        ("https://user@a.example/", .userInfo), ("https://user:pw@a.example/", .userInfo),
        ("https://a.example@127.0.0.1/", .userInfo), ("https://@a.example/", .userInfo),
        ("https://a.example/#b", .fragment), ("https://a.example#@b.example", .fragment),
        ("https:///path", .badHost), ("https://", .badHost), ("https://:443/", .badHost),
        ("https://.a.example/", .badHost), ("https://a..example/", .badHost),
        ("https://a.example./", .badHost), ("https://-a.example/", .badHost),
        ("https://a-.example/", .badHost), ("https://a:1:2/", .badHost),
        ("https://a%2eb/", .badHost),
        ("https://a*b.example/", .badHost), ("https://[::1/", .badHost), ("https://::1/", .badHost),
        ("https://[::1]x/", .badHost), ("https://[fe80::1%25eth0]/", .badHost),
        ("https://[127.0.0.1]/", .badHost), ("https://[a.example]/", .badHost),
        ("https://[v1.x]/", .badHost), ("https://[]/", .badHost), ("https://a]b/", .badHost),
        ("https://bücher.example/", .internationalName), ("https://ⓐ.example/", .internationalName),
        ("https://１２７.0.0.1/", .internationalName), ("https://a。example/", .internationalName),
        ("https://a.example:/", .badPort), ("https://a.example:0/", .badPort),
        ("https://a.example:65536/", .badPort), ("https://a.example:-1/", .badPort),
        ("https://a.example:+443/", .badPort), ("https://a.example:0x1bb/", .badPort),
        ("https://a.example:000443/", .badPort), ("https://a.example:22/", .portNotAllowed),
        ("https://a.example:80/", .portNotAllowed), ("https://a.example:25/", .portNotAllowed),
    ])
    func otherTextsAreRefused(text: String, refusal: AddressRefusal) {
        #expect(Self.refusal(text, AddressPolicy()) == refusal, "\(text)")
    }

    /// Readers of the C library take these for 127.0.0.1 and others.
    @Test(arguments: [
        "2130706433", "0x7f000001", "017700000001", "127.1", "127.0.1", "0177.0.0.1", "0x7f.1",
        "127.0.0.0x1", "0", "0x0", "127.0.0.01", "127.00.0.1", "1.1.1.256", "1.2.3.4.5",
        "0X7F.0.0.1",
        "999.1.1.1", "a.0x1", "a.1", "0x",
    ])
    func numbersThatAreNoUsualAddressAreRefused(host: String) {
        for policy in [AddressPolicy(), Self.open] {
            #expect(Self.refusal("https://\(host)/", policy) == .unusualNumber)
        }
    }

    @Test(arguments: [
        ("127.0.0.1", AddressRefusal.loopback), ("127.255.255.254", .loopback),
        ("localhost", .loopback), ("LOCALHOST", .loopback), ("a.localhost", .loopback),
        ("[::1]", .loopback), ("[::ffff:127.0.0.1]", .loopback), ("[::127.0.0.1]", .loopback),
        ("[::ffff:0:127.0.0.1]", .loopback), ("[64:ff9b::7f00:1]", .loopback),
        ("[2002:7f00:1::]", .loopback), ("[2001:0:1:2:3:4:80ff:fffe]", .loopback),
        ("[2606:4700::5efe:7f00:1]", .loopback), ("[2606:4700::200:5efe:7f00:1]", .loopback),
        ("10.0.0.1", .privateNetwork), ("172.16.0.1", .privateNetwork),
        ("172.31.255.255", .privateNetwork), ("192.168.1.1", .privateNetwork),
        ("100.64.0.1", .privateNetwork), ("100.127.255.255", .privateNetwork),
        ("[fc00::1]", .privateNetwork), ("[fdff:ffff::1]", .privateNetwork),
        ("[fec0::1]", .privateNetwork), ("[::ffff:10.0.0.1]", .privateNetwork),
        ("[64:ff9b::a00:1]", .privateNetwork), ("[2002:a00:1::1]", .privateNetwork),
    ])
    func addressesOfPrivateNetworksNeedTheOperatorsWord(host: String, refusal: AddressRefusal) {
        #expect(Self.refusal("https://\(host)/", AddressPolicy()) == refusal)
        #expect(Self.refusal("https://\(host)/", Self.open) == nil)
    }

    @Test(arguments: [
        ("169.254.1.1", AddressRefusal.linkLocal), ("[fe80::1]", .linkLocal),
        ("[febf::1]", .linkLocal), ("[::ffff:169.254.1.1]", .linkLocal),
        ("169.254.169.254", .metadata), ("[::ffff:169.254.169.254]", .metadata),
        ("[64:ff9b::a9fe:a9fe]", .metadata), ("[fd00:ec2::254]", .metadata),
        ("100.100.100.200", .metadata), ("168.63.129.16", .metadata), ("192.0.0.192", .metadata),
        ("0.0.0.0", .unspecified), ("0.1.2.3", .unspecified), ("[::]", .unspecified),
        ("[64:ff9b:1::1]", .unspecified), ("224.0.0.1", .multicast),
        ("239.255.255.255", .multicast),
        ("[ff02::1]", .multicast), ("255.255.255.255", .reserved), ("240.0.0.1", .reserved),
        ("192.0.2.1", .reserved), ("198.51.100.1", .reserved), ("203.0.113.1", .reserved),
        ("192.0.0.1", .reserved), ("198.18.0.1", .reserved), ("192.88.99.1", .reserved),
        ("[2001:db8::1]", .reserved), ("[3fff::1]", .reserved), ("[2001::1]", .reserved),
        ("[2001:20::1]", .reserved), ("[100::1]", .reserved), ("[5f00::1]", .reserved),
        ("[::ffff:8.8.8.8]", .reserved), ("[64:ff9b::808:808]", .reserved),
        ("[2002:808:808::1]", .reserved), ("[4000::1]", .reserved),
    ])
    func addressesOfNoReceiverAreRefusedInAnyCase(host: String, refusal: AddressRefusal) {
        for policy in [AddressPolicy(), Self.open] {
            #expect(Self.refusal("https://\(host)/", policy) == refusal)
        }
    }

    /// Where clouds keep a machine's secrets, in each form that leads there.
    @Test(arguments: [
        "169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192",
        "[::ffff:169.254.169.254]", "[::ffff:100.100.100.200]", "[::ffff:168.63.129.16]",
        "[::ffff:192.0.0.192]", "[::ffff:c000:c0]", "[::169.254.169.254]",
        "[::ffff:0:169.254.169.254]", "[::ffff:0:100.100.100.200]",
        "[64:ff9b::a9fe:a9fe]", "[64:ff9b::6464:64c8]", "[64:ff9b::a83f:8110]",
        "[64:ff9b::c000:c0]", "[fd64:ff9b::a9fe:a9fe]", "[2001:470:1:2::6464:64c8]",
        "[2002:a9fe:a9fe::]", "[2002:a9fe:a9fe::1]", "[2002:6464:64c8::1]",
        "[2002:a83f:8110::1]", "[2002:c000:c0::1]", "[2001:0:1:2:3:4:5601:5601]",
        "[fd12::5efe:a9fe:a9fe]", "[fd12::200:5efe:6464:64c8]",
        "[fd00:ec2::254]", "[fd00:ec2::23]", "[FD00:0EC2:0:0:0:0:0:254]", "[fd20:ce::254]",
        "[fd00:c1::a9fe:a9fe]", "[fd00:42::42]", "[fd00:a9fe:a9fe::1]",
    ])
    func noAddressOfACloudsMetadataIsEverAllowed(host: String) {
        for policy in [AddressPolicy(), Self.open] {
            #expect(Self.refusal("https://\(host)/", policy) == .metadata)
        }
    }

    /// The range of one link, which has others of them, in the same forms.
    @Test(arguments: [
        "169.254.0.0", "169.254.170.2", "169.254.0.23", "169.254.255.255",
        "[::ffff:169.254.170.2]", "[::169.254.170.2]", "[::ffff:0:169.254.170.2]",
        "[64:ff9b::a9fe:aa02]", "[2002:a9fe:aa02::1]", "[fd12::5efe:a9fe:aa02]",
    ])
    func noAddressOfOneLinkIsEverAllowed(host: String) {
        for policy in [AddressPolicy(), Self.open] {
            #expect(Self.refusal("https://\(host)/", policy) == .linkLocal)
        }
    }

    @Test(arguments: ["[fd00:ec2::255]", "[fd20:ce::1]", "[fd00:c1::1]", "[fd12::a9fe:a9ff]"])
    func neighboursOfThemArePrivate(host: String) {
        #expect(Self.refusal("https://\(host)/", AddressPolicy()) == .privateNetwork)
        #expect(Self.refusal("https://\(host)/", Self.open) == nil)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.0.1", "172.15.255.255", "172.32.0.0", "192.167.0.1", "192.169.0.1",
        "198.17.0.1", "198.20.0.1", "223.255.255.255", "[2001:200::1]", "[2001:db9::1]",
        "[2a00:1450::1]", "[3ffe:ffff::1]", "[3fff:1000::1]",
    ])
    func addressesBesideTheRangesAreTaken(host: String) {
        #expect(Self.refusal("https://\(host)/", AddressPolicy()) == nil)
    }

    @Test func aURLHasABound() {
        let start = "https://a.example/"
        let path = String(repeating: "p", count: WebhookLimits.urlBytes - start.utf8.count)
        #expect(Self.refusal(start + path, AddressPolicy()) == nil)
        #expect(Self.refusal(start + path + "p", AddressPolicy()) == .tooLong)
        let label = String(repeating: "l", count: 63)
        #expect(Self.refusal("https://\(label).example/", AddressPolicy()) == nil)
        #expect(Self.refusal("https://\(label)l.example/", AddressPolicy()) == .badHost)
        let name = "\(label).\(label).\(label)." + String(repeating: "l", count: 61)
        #expect(Self.refusal("https://\(name)/", AddressPolicy()) == nil)
        #expect(Self.refusal("https://\(name)l/", AddressPolicy()) == .badHost)
    }

    @Test(arguments: [
        ("a.example", true), ("A.example", true), ("b.example", false), ("x.a.example", false),
        ("x.hooks.example", true), ("y.x.hooks.example", true), ("hooks.example", false),
        ("xhooks.example", false), ("hooks.example.evil.example", false), ("8.8.8.8", true),
        ("8.8.4.4", false), ("[2606:4700::1]", true),
    ])
    func aListOfHostsAllowsNoOther(host: String, isAllowed: Bool) {
        var policy = AddressPolicy()
        policy.allowedHosts = ["A.Example", "*.hooks.example", "8.8.8.8", "2606:4700:0::1", "*.4"]
        let refusal = Self.refusal("https://\(host)/", policy)
        #expect(refusal == (isAllowed ? nil : .hostNotAllowed))
    }

    @Test func aListOfPortsAllowsNoOther() {
        var policy = AddressPolicy()
        policy.allowedPorts = [8_443, 22]
        #expect(Self.refusal("https://a.example/", policy) == .portNotAllowed)
        #expect(Self.refusal("https://a.example:22/", policy) == nil)
        #expect(Self.refusal("http://a.example:80/", Self.open) == nil)
    }

    @Test(arguments: [
        ("a.example", true), ("*.a.example", true), ("8.8.8.8", true), ("2606:4700::1", true),
        ("*", false), ("*.", false), ("*.8.8.8.8", false), ("a.*.example", false), ("", false),
        ("https://a.example", false), ("a.example:443", false), ("127.1", false),
    ])
    func anEntryOfTheListOfHostsIsChecked(text: String, isOne: Bool) {
        #expect(AddressPolicy.isHostPattern(text) == isOne)
    }

    /// A text that is taken has no part that another reader could take for something else.
    @Test(arguments: [1, 2, UInt64.random(in: 3...UInt64.max)])
    func textsByChanceAreRefusedOrPlain(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let parts = [
            "https://", "http://", "HTTPS:", "/", "//", "a.example", "127.0.0.1", "[::1]",
            "8.8.8.8", ":",
            "443", "8443", "@", "#", "?", "%2f", "%", ".", "..", "-", "xn--a", "é", "\u{0}", "\\",
            " ",
            "[", "]", "0x7f", "1", "localhost", "\u{200D}", "e\u{301}", "::", "2606:4700::1",
        ]
        var taken = 0
        for round in 0..<20_000 {
            let start = round % 2 == 0 ? "https://a.example" : "https://"
            let text = (0..<Int.random(in: 0...6, using: &numbers)).reduce(start) { text, _ in
                text + (parts.randomElement(using: &numbers) ?? "")
            }
            guard let url = try? WebhookURL(text, Self.open) else { continue }
            taken += 1
            let again = try? WebhookURL("https://\(url.authority)\(url.target)", Self.open)
            #expect(again == url, "seed \(seed): \(text)")
            #expect(url.target.hasPrefix("/") && !url.host.contains("@"), "seed \(seed): \(text)")
            #expect(url.address != nil || !url.host.hasPrefix("["), "seed \(seed): \(text)")
        }
        #expect(taken > 1_000, "seed \(seed)")
    }

    @Test func refusalsNameNoPartOfTheAddress() {
        #expect(
            AddressRefusal.allCases.count == Set(AddressRefusal.allCases.map(\.description)).count)
    }
}
