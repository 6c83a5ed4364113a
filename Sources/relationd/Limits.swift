/// The bounds of how the server ends.
enum Limits {
    /// How long running calls may go on after the store has failed.
    ///
    /// Clients learn from the stop itself which of their calls were not taken, and that takes two
    /// seconds where one does not answer.
    static let failedStoreGraceSeconds = 3

    /// When the process ends after that, also if something in it waits for ever.
    static let failedStoreSeconds: UInt32 = 6
}
