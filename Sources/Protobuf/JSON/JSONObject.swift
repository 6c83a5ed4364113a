/// The object that is being read.
struct JSONObject {
    let plan: UnsafePointer<JSONPlan>
    /// Where its encoding begins.
    let start: Int
    /// Where its text begins.
    let text: UnsafePointer<UInt8>
    /// The fields that were there; after them, the type of an Any, and the oneofs.
    var seen = JSONSeen()
    /// The field that mostly comes next.
    var guess = 0
    /// The number of the last field that was written.
    var last: UInt32 = 0
    /// Whether the encoding has the order that an encoder gives it.
    var isSorted = true

    init(_ plan: UnsafePointer<JSONPlan>, start: Int, text: UnsafePointer<UInt8>) {
        self.plan = plan
        self.start = start
        self.text = text
    }
}
