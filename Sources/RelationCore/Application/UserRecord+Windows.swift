package import RelationModel

extension UserRecord {
    /// New applications that the user has sent in the window of that moment.
    package func applicationsSent(at now: Timestamp, _ settings: AppSettings) -> Int {
        applicationDay == now.window(ofMs: settings.applicationsWindowMs)
            ? Int(applicationsToday) : 0
    }

    /// New applications that have come in to the user in the window of that moment, as far as they
    /// were counted.
    package func applicationsReceived(at now: Timestamp, _ settings: AppSettings) -> Int {
        receivedDay == now.window(ofMs: settings.applicationsReceivedWindowMs)
            ? Int(receivedToday) : 0
    }

    /// Reports that the user has made in the window of that moment.
    package func reportsMade(at now: Timestamp, _ settings: AppSettings) -> Int {
        reportDay == now.window(ofMs: settings.reportsWindowMs) ? Int(reportsToday) : 0
    }

    /// Digests of contacts for which the user has asked in the window of that moment.
    package func contactsAsked(at now: Timestamp, _ settings: AppSettings) -> Int {
        contactDay == now.window(ofMs: settings.contactLookupsWindowMs) ? Int(contactsToday) : 0
    }

    /// Counts a new application that the user sends in that window.
    mutating func countSentApplication(in window: Int64) {
        applicationsToday = Self.next(applicationDay == window ? applicationsToday : 0)
        applicationDay = window
    }

    /// Counts a new application that comes in to the user in that window.
    mutating func countReceivedApplication(in window: Int64) {
        receivedToday = Self.next(receivedDay == window ? receivedToday : 0)
        receivedDay = window
    }

    /// One more than `count`, which an import may have brought as high as the field goes.
    private static func next(_ count: UInt32) -> UInt32 { UInt32(clamping: Int(count) + 1) }
}

extension Timestamp {
    /// The day since 1970, in UTC.
    var day: Int64 { milliseconds / SettingBounds.dayMs }

    /// The window of that length in which this moment lies, by its begin.
    ///
    /// A window begins at a multiple of its length. It is named by the day since 1970 if it begins
    /// at midnight (UTC), and otherwise by its first millisecond. So windows of a day have the
    /// numbers of days, as records of before have them. Windows of two lengths have the same name
    /// only if they begin at the same moment: a count under one of them then holds for the other.
    package func window(ofMs length: Int64) -> Int64 {
        let begin = milliseconds - milliseconds % length
        return begin % SettingBounds.dayMs == 0 ? begin / SettingBounds.dayMs : begin
    }
}
