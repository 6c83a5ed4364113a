/// Why an address of a receiver is refused, in words that name no part of it.
package enum AddressRefusal: String, Error, Sendable, CaseIterable, CustomStringConvertible {
    case tooLong = "the URL is too long"
    case badCharacter = "the URL has a character that must not stand in it"
    case notHTTPS = "the URL must begin with https://"
    case userInfo = "the URL must not name a user or a password"
    case fragment = "the URL must not have a fragment"
    case badHost = "the URL has no host that can be used"
    case badPort = "the URL has a port that is none"
    case unusualNumber = "the host is a number that is not a usual IP address"
    case internationalName = "the host must be written in ASCII, as xn-- where it is not"
    case hostNotAllowed = "the host is not among those that are allowed"
    case portNotAllowed = "the port is not among those that are allowed"
    case noAddress = "the host has no address"
    case tooManyAddresses = "the host has too many addresses"
    case loopback = "the host is this machine"
    case privateNetwork = "the host is in a private network"
    case linkLocal = "the host is an address of one link"
    case metadata = "the host is an address where a cloud keeps the machine's secrets"
    case multicast = "the host is an address of many machines"
    case unspecified = "the host is an address of no machine"
    case reserved = "the host is an address that is reserved"

    package var description: String { rawValue }
}
