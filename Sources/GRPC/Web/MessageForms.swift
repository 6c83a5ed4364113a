package import Protobuf
import Synchronization

/// The JSON of the messages of a method.
///
/// A form is made when it is first asked for: most processes speak JSON for few of their methods.
package final class MessageForms: Sendable {
    private let request: MadeForm
    private let answer: MadeForm

    package init(request: Schema, answer: Schema) {
        self.request = MadeForm(request)
        self.answer = MadeForm(answer)
    }

    var ofRequest: JSONForm { request.form }

    var ofAnswer: JSONForm { answer.form }
}

/// A form that the first one who asks makes.
///
/// The address of the form instead of an `AtomicLazyReference`, which looks up its metadata at each
/// load: some 600 instructions of each message.
private final class MadeForm: Sendable {
    private let schema: Schema
    /// The address of the form, which this object owns a reference of; 0 until it is made.
    private let address = Atomic<UInt>(0)

    init(_ schema: Schema) {
        self.schema = schema
    }

    deinit {
        if let made = Self.form(at: address.load(ordering: .acquiring)) { made.release() }
    }

    var form: JSONForm {
        if let made = Self.form(at: address.load(ordering: .acquiring)) {
            return made.takeUnretainedValue()
        }
        // The object owns this reference from the exchange on, or it is released below.
        let new = Unmanaged.passRetained(JSONForm(schema))
        let (isFirst, made) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: new.toOpaque()),
            ordering: .acquiringAndReleasing)
        guard !isFirst, let other = Self.form(at: made) else { return new.takeUnretainedValue() }
        new.release()
        return other.takeUnretainedValue()
    }

    // The address is of a form that `form` retained, and lives as long as the object.
    private static func form(at address: UInt) -> Unmanaged<JSONForm>? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
    }
}
