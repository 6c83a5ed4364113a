/// A database that the directory of a fleet names.
package struct DirectoryDatabase: Equatable, Sendable {
    /// Its name in commands, logs and metrics.
    package let name: String
    /// Its address, as libpq reads it, without a password.
    package let address: String

    package init(name: String, address: String) {
        self.name = name
        self.address = address
    }

    /// The name of the database that has the directory.
    package static let home = "home"

    /// Whether `name` may be given to a database: 1 to 32 small letters of ASCII, digits and
    /// hyphens, of which the first one is a letter; and not ``home``.
    package static func isName(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard name != home, (1...DirectoryLimits.nameBytes).contains(name.utf8.count),
            let first = name.utf8.first, letters.contains(first)
        else { return false }
        return name.utf8.allSatisfy {
            letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-")
        }
    }
}
