/// The name of this process, which its calls of health and its endpoints show.
///
/// So a reader of pages can find out whether they are those of the server that it calls. The name
/// is random, and says nothing of the process.
package enum ServerInstance {
    /// The metadata of a call, and the header of a page, that have it.
    package static let header = "relation-instance"

    /// The name: 16 digits.
    package static let own: String = {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }()
}
