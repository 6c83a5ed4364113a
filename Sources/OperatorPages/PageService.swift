import GRPC

/// The parts that the connections of the pages share.
///
/// It belongs to the loop of the pages.
final class PageService {
    let table: PageTable
    let relays: CallRelays
    let places: ConnectionSlots
    let times: PageTimes
    /// Which hosts a request may name.
    let rules: BrowserRules
    /// The time of day, for the heads of answers.
    var date = HTTPDate()

    init(
        _ table: PageTable, relays: CallRelays = CallRelays(scheme: "http", way: nil),
        places: ConnectionSlots = ConnectionSlots(), times: PageTimes = PageTimes(),
        rules: BrowserRules = BrowserRules()
    ) {
        self.table = table
        self.relays = relays
        self.places = places
        self.times = times
        self.rules = rules
    }
}
