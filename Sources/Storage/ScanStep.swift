/// Whether a scan goes on after a row.
@usableFromInline package enum ScanStep: Sendable {
    case more, stop
}
