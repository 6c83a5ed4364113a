package import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The settings of an import, which its first message carries.
package struct ImportSetup {
    var options: WriteOptions?
    /// Whether each owner gets an event for each new friend; otherwise one event says that the list
    /// changed.
    package var notify = false
    /// Names the import, so that another stream can continue it; empty if none can.
    var importID = ""
    /// The number of the stream's first row; 0 means 1.
    var firstRow: Int64 = 0
    /// Whether the caller is an operator.
    package var isOperator = false
    /// The origin of the rows; the stream sets it.
    var origin = Origin(user: nil)
    /// Whether rows are only checked.
    package var isDryRun: Bool { options?.dryRun ?? false }
    /// Whether the import can be continued.
    var hasProgress: Bool { !importID.isEmpty && !isDryRun }

    package init(
        options: WriteOptions? = nil,
        notify: Bool = false,
        importID: String = "",
        firstRow: Int64 = 0
    ) {
        self.options = options
        self.notify = notify
        self.importID = importID
        self.firstRow = firstRow
    }

    /// Returns the errors of these settings.
    ///
    /// An import is many writes, so options that apply to one write have no meaning here.
    func check(isFirst: Bool, hasRow: Bool, takesDryRuns: Bool) -> Violations {
        var violations = Violations()
        guard isFirst else {
            let rule = "may be given in the first message only"
            if options != nil { violations.add("options", rule) }
            if notify { violations.add("notify", rule) }
            if !importID.isEmpty { violations.add("import_id", rule) }
            if firstRow != 0 { violations.add("first_row", rule) }
            if !hasRow { violations.add("row", "must be given") }
            return violations
        }
        violations.length(importID, "import_id", atMost: Limits.importIDBytes)
        if !(0...Limits.importRows).contains(firstRow) {
            violations.add("first_row", "is \(firstRow); 0 to \(Limits.importRows) may be sent")
        } else if firstRow > 1, importID.isEmpty {
            violations.add("first_row", "must be 1 without an import_id: nothing came before")
        }
        guard let options else { return violations }
        let meaningless = [
            ("request_id", !options.requestID.isEmpty),
            ("dry_run", options.dryRun && !takesDryRuns),
            ("all_or_nothing", options.allOrNothing),
            ("expected_sequence", options.expectedSequence != nil),
            ("list_effects", options.listEffects),
        ]
        for (name, isSet) in meaningless where isSet {
            violations.add("options.\(name)", "has no meaning for an import")
        }
        violations.length(options.deviceID, "options.device_id", atMost: Limits.deviceIDBytes)
        return violations
    }
}
