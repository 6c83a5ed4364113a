// The settings of the audit.
extension Setting {
    static let audits = [auditDays, auditCalls]

    private static let mostAuditDays = 3_650

    static let auditDays = Setting(
        name: "audit-days", kind: .number(0...mostAuditDays), unit: "days", usual: .value("0"),
        help: """
            Record each write by a caller with the scope admin or operator, and refused calls, for \
            so many days; 0 records nothing. All servers of one database need the same number.
            """,
        reason: """
            An app that may end the record of its own calls has none. So the operator decides, and \
            for all apps. Each recorded write has a row more.
            """)

    static let auditCalls = Setting(
        name: "audit-calls", kind: .choice(["writes", "all"]), usual: .value("writes"),
        help: """
            The calls of these callers that audit-days records: writes, or all, with reads, \
            streams and dry runs. With all, a read is refused while too many records wait.
            """,
        reason: """
            A read costs no write then. An operator who must prove who looked at what sets all: \
            an answer goes out only if there is room for its record, which is stored about a \
            second later.
            """)
}
