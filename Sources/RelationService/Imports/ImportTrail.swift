package import RelationCore

/// The facts that an import hands from one row to the next.
package struct ImportTrail {
    /// The position among the rows of an export; it is stored with the progress.
    package var position: ImportPosition?
    /// The app as the rows of a dry run have defined it; nil before the first definition.
    package var draft: AppRecord?
    /// More about the outcome of the last row.
    package var detail: ImportRowDetail?

    package init() {}
}

/// The parts of the answer about a row beside its outcome.
package struct ImportRowDetail: Equatable {
    package var kind = ""
    /// The path of the field that broke a rule.
    package var field = ""
    package var rule = ""

    package init(kind: String = "", field: String = "", rule: String = "") {
        self.kind = kind
        self.field = field
        self.rule = rule
    }
}
