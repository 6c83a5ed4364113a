/// The order in which a scan shows rows: that of their keys, or its reverse.
@usableFromInline package enum ScanOrder: Sendable {
    case ascending, descending
}
