/// Why a pull from another system ends, in words for people.
package struct MigrationError: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
