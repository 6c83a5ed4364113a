/// An answered write that a read must see, wherever it is answered.
struct Token {
    /// The user who made it, and whose sequence it has reached.
    let user: Int
    let sequence: Int64
    /// When it began.
    let start: UInt64
    /// Its number in the register that it has changed.
    let write: Int
    /// The other side of the friendship that it changed; nil if it changed the nick.
    let other: Int?
}
