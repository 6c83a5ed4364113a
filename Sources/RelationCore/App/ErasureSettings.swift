/// Which deletions of an app erase what others have of the user, and what they keep for the law.
package struct ErasureSettings: Equatable, Sendable {
    /// Whether every deletion does.
    package var always = false
    /// Whether the logs keep their events, until these are too old or too many.
    package var keepsLogs = false
    /// Whether the histories of others keep applications that have ended.
    package var keepsApplications = false
    /// Whether answers stay that are kept for requests.
    package var keepsAnswers = false
    /// Whether the end of the user's sessions stays under its id, and not under a digest.
    package var keepsSessionEnds = false
    /// Whether the reports that the user made keep its texts.
    package var keepsReports = false

    package init() {}
}
