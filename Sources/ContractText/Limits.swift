/// The bounds of the text.
enum Limits {
    /// The longest description of the contract, in bytes.
    static let textBytes = 4 << 20
}
