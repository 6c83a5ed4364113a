extension IPAddress {
    /// The reason for which webhooks do not go to the address; nil for an address of the Internet.
    ///
    /// The ranges are those of IANA's registries of special addresses. An address that carries one
    /// of IPv4 in it is of the kind of that one.
    var kind: AddressRefusal? {
        switch self {
        case .four(let number): Self.kind(ofFour: number)
        case .six(let high, let low): Self.kind(ofSix: high, low)
        }
    }

    /// Where clouds keep secrets of the machine that asks, outside of the ranges of one link.
    private static let metadataAddresses: Set<UInt32> = [
        0xA9FE_A9FE,  // 169.254.169.254
        0x6464_64C8,  // 100.100.100.200
        0xA83F_8110,  // 168.63.129.16
        0xC000_00C0,  // 192.0.0.192
    ]

    /// Such addresses of IPv6: they lie in private ranges, which an operator may allow.
    private static let metadataPlaces: [(high: UInt64, low: UInt64)] = [
        (0xFD00_0EC2_0000_0000, 0x254), (0xFD00_0EC2_0000_0000, 0x23),  // AWS
        (0xFD20_00CE_0000_0000, 0x254),  // Google
        (0xFD00_00C1_0000_0000, 0xA9FE_A9FE),  // Oracle
        (0xFD00_0042_0000_0000, 0x42),  // Scaleway
        (0xFD00_A9FE_A9FE_0000, 0x1),  // Akamai
    ]

    private static let fourRanges: [(base: UInt32, bits: UInt32, kind: AddressRefusal)] = [
        (0x0000_0000, 8, .unspecified),  // 0.0.0.0/8, "this network"
        (0x0A00_0000, 8, .privateNetwork),  // 10.0.0.0/8
        (0x6440_0000, 10, .privateNetwork),  // 100.64.0.0/10, of carriers
        (0x7F00_0000, 8, .loopback),  // 127.0.0.0/8
        (0xA9FE_0000, 16, .linkLocal),  // 169.254.0.0/16
        (0xAC10_0000, 12, .privateNetwork),  // 172.16.0.0/12
        (0xC000_0000, 24, .reserved),  // 192.0.0.0/24, of protocols
        (0xC000_0200, 24, .reserved),  // 192.0.2.0/24, of documentation
        (0xC01F_C400, 24, .reserved),  // 192.31.196.0/24, AS112
        (0xC034_C100, 24, .reserved),  // 192.52.193.0/24, AMT
        (0xC058_6300, 24, .reserved),  // 192.88.99.0/24, relays of 6to4
        (0xC0A8_0000, 16, .privateNetwork),  // 192.168.0.0/16
        (0xC0AF_3000, 24, .reserved),  // 192.175.48.0/24, AS112
        (0xC612_0000, 15, .reserved),  // 198.18.0.0/15, of benchmarks
        (0xC633_6400, 24, .reserved),  // 198.51.100.0/24, of documentation
        (0xCB00_7100, 24, .reserved),  // 203.0.113.0/24, of documentation
        (0xE000_0000, 4, .multicast),  // 224.0.0.0/4
        (0xF000_0000, 4, .reserved),  // 240.0.0.0/4, with the broadcast address
    ]

    private static func kind(ofFour number: UInt32) -> AddressRefusal? {
        if metadataAddresses.contains(number) { return .metadata }
        return fourRanges.first { number >> (32 - $0.bits) == $0.base >> (32 - $0.bits) }?.kind
    }

    private static func kind(ofSix high: UInt64, _ low: UInt64) -> AddressRefusal? {
        if metadataPlaces.contains(where: { $0 == (high, low) }) { return .metadata }
        // A site may translate to IPv4 (NAT64) under any prefix of 96 bits.
        if low >> 32 == 0, metadataAddresses.contains(UInt32(truncatingIfNeeded: low)) {
            return .metadata
        }
        if high == 0, low == 0 { return .unspecified }
        if high == 0, low == 1 { return .loopback }
        if let four = fourInside(high, low) { return kind(ofFour: four) ?? .reserved }
        switch high >> 48 {
        case 0xFC00...0xFDFF: return .privateNetwork
        case 0xFE80...0xFEBF: return .linkLocal
        // The range of one site, which is given up and was private.
        case 0xFEC0...0xFEFF: return .privateNetwork
        case 0xFF00...0xFFFF: return .multicast
        // Of protocols, with Teredo and ORCHID (2001::/23), and of documentation.
        case 0x2001 where high >> 41 == 0x2001_0000 >> 9 || high >> 32 == 0x2001_0DB8:
            return .reserved
        case 0x3FFF where high >> 44 == 0x3FFF_0: return .reserved
        // Only these are given out for the Internet.
        case 0x2000...0x3FFF: return nil
        default: return .reserved
        }
    }

    /// The address of IPv4 that one of IPv6 stands for, or leads to.
    private static func fourInside(_ high: UInt64, _ low: UInt64) -> UInt32? {
        let last = UInt32(truncatingIfNeeded: low)
        // Mapped (::ffff:0:0/96), translated (::ffff:0:0:0/96), compatible (::/96).
        if high == 0, [0, 0xFFFF, 0xFFFF_0000].contains(low >> 32) { return last }
        // NAT64: the well-known prefix, and the one of a site, which may have it elsewhere too.
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { return last }
        if high >> 16 == 0x0064_FF9B_0001 { return 0 }
        // 6to4 has it after its prefix.
        if high >> 48 == 0x2002 { return UInt32(truncatingIfNeeded: high >> 16) }
        // Teredo has the client's inverted at the end.
        if high >> 32 == 0x2001_0000 { return ~last }
        // ISATAP has it at the end of any network.
        if low >> 32 & ~0x0200_0000 == 0x0000_5EFE { return last }
        return nil
    }
}
