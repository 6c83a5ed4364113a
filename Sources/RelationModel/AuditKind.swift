public import Protobuf

/// The kinds of records of an audit (ours).
public struct AuditKind: OpenEnum, Scalar {
    /// Never answered.
    public static let unspecified = AuditKind(rawValue: 0)
    /// Calls of a caller with the scope `admin` or `operator`.
    public static let call = AuditKind(rawValue: 1)
    /// Calls that were refused because the caller lacked the right, or was not known.
    public static let refusal = AuditKind(rawValue: 2)
    /// The erasure of an account, which has come to its end.
    public static let erasure = AuditKind(rawValue: 3)
    /// Old records were removed.
    public static let trim = AuditKind(rawValue: 4)

    public static let schema = EnumSchema(
        "relation.v1.AuditKind",
        [
            (unspecified.rawValue, "AUDIT_KIND_UNSPECIFIED"),
            (call.rawValue, "AUDIT_KIND_CALL"),
            (refusal.rawValue, "AUDIT_KIND_REFUSAL"),
            (erasure.rawValue, "AUDIT_KIND_ERASURE"),
            (trim.rawValue, "AUDIT_KIND_TRIM"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
