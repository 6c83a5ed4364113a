public import Protobuf

/// The kinds of errors that rows can have (ours).
public struct IntegrityFault: OpenEnum, Scalar {
    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Never answered.
    public static let unspecified = IntegrityFault(rawValue: 0)
    /// A row about two users lacks its counterpart on the other side.
    public static let halfPair = IntegrityFault(rawValue: 1)
    /// A counter differs from the number of its rows.
    ///
    /// Repair counts them again.
    public static let wrongCounter = IntegrityFault(rawValue: 2)
    /// A row of an index, of the directory or of the mentions refers to a row that does not exist.
    ///
    /// Repair removes it.
    public static let indexWithoutRow = IntegrityFault(rawValue: 3)
    /// A row is missing from an index, the directory or the mentions.
    ///
    /// Repair adds it there.
    public static let rowWithoutIndex = IntegrityFault(rawValue: 4)
    /// Sequences are missing from a user's log.
    public static let logGap = IntegrityFault(rawValue: 5)
    /// The app's feed and the logs of its users differ.
    public static let feedMismatch = IntegrityFault(rawValue: 6)
    /// The store has lost writes that were answered.
    public static let lostWrites = IntegrityFault(rawValue: 7)

    public static let schema = EnumSchema(
        "relation.v1.IntegrityFault",
        [
            (0, "INTEGRITY_FAULT_UNSPECIFIED"),
            (1, "INTEGRITY_FAULT_HALF_PAIR"),
            (2, "INTEGRITY_FAULT_WRONG_COUNTER"),
            (3, "INTEGRITY_FAULT_INDEX_WITHOUT_ROW"),
            (4, "INTEGRITY_FAULT_ROW_WITHOUT_INDEX"),
            (5, "INTEGRITY_FAULT_LOG_GAP"),
            (6, "INTEGRITY_FAULT_FEED_MISMATCH"),
            (7, "INTEGRITY_FAULT_LOST_WRITES"),
        ])
}
