import ArgumentParser
import Migrations

/// The options of migrate, compare and proxy that name a host.
enum HostOption {
    /// - Throws: `ValidationError` that names the option, its value and the rule.
    @discardableResult
    static func origin(
        _ option: String, _ text: String, allowsZero: Bool = false
    ) throws -> PostOrigin {
        do throws(MigrationError) {
            return try PostOrigin(text, allowsZero: allowsZero)
        } catch {
            throw ValidationError("\(option) \(error.description)")
        }
    }
}
