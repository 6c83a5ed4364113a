import GRPC

/// The parts that the admin connections share.
///
/// It belongs to the admin loop.
final class AdminService {
    let table: EndpointTable
    let relays: CallRelays
    let slots: ConnectionSlots
    let times: AdminTimes
    /// Which hosts a request may name.
    let rules: BrowserRules
    /// The time of day, for the headers of answers.
    var date = HTTPDate()

    init(
        _ table: EndpointTable, relays: CallRelays = CallRelays(scheme: "http", way: nil),
        slots: ConnectionSlots = ConnectionSlots(), times: AdminTimes = AdminTimes(),
        rules: BrowserRules = BrowserRules()
    ) {
        self.table = table
        self.relays = relays
        self.slots = slots
        self.times = times
        self.rules = rules
    }
}
