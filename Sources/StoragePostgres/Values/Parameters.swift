/// The values of a statement's parameters, in the binary form of the protocol.
///
/// All stand in one piece of memory, which is used again for the next statement.
struct Parameters {
    private(set) var bytes: [UInt8] = [0]
    /// The end of each value in `bytes`.
    private(set) var ends: [Int] = []
    /// Where the number of elements of the open array stands.
    private var openArray: Int?
    private var elements: Int32 = 0

    /// Where the first value begins.
    ///
    /// The byte before it gives an address to values that are all empty: libpq takes a null pointer
    /// for the database's NULL.
    static let start = 1

    /// The database's number of the type `bytea`, of a column of row keys or values.
    private static let byteaType: UInt32 = 17
    /// The number of the type `bigint`.
    private static let bigintType: UInt32 = 20

    mutating func removeAll() {
        precondition(openArray == nil, "an array is open")
        bytes.removeAll(keepingCapacity: bytes.count < Limits.keptParameterBytes)
        bytes.append(0)
        ends.removeAll(keepingCapacity: true)
    }

    mutating func append(_ value: some Collection<UInt8>) {
        bytes.append(contentsOf: value)
        ends.append(bytes.count)
    }

    mutating func append(_ number: Int64) {
        append(bigEndian: number)
        ends.append(bytes.count)
    }

    /// Adds an array of `bytea`; `body` adds its elements.
    mutating func appendArray(_ body: (inout Parameters) -> Void) {
        begin(Self.byteaType)
        body(&self)
        end()
    }

    /// Adds an array of `bigint`.
    mutating func append(_ numbers: [Int64]) {
        begin(Self.bigintType)
        for number in numbers {
            append(bigEndian: Int32(8))
            append(bigEndian: number)
            elements += 1
        }
        end()
    }

    mutating func addElement(_ element: UnsafeRawBufferPointer) {
        precondition(openArray != nil, "an element without an array")
        append(bigEndian: Int32(element.count))
        bytes.append(contentsOf: element)
        elements += 1
    }

    /// The header of an array: its dimensions, whether any element is null, the type, and for the
    /// one dimension its length and the number of its first element.
    private mutating func begin(_ type: UInt32) {
        precondition(openArray == nil, "an array in an array")
        append(bigEndian: Int32(1))
        append(bigEndian: Int32(0))
        append(bigEndian: type)
        openArray = bytes.count
        append(bigEndian: Int32(0))
        append(bigEndian: Int32(1))
        elements = 0
    }

    private mutating func end() {
        guard let start = openArray else { preconditionFailure("no array is open") }
        withUnsafeBytes(of: elements.bigEndian) { count in
            for (offset, byte) in count.enumerated() { bytes[start + offset] = byte }
        }
        openArray = nil
        ends.append(bytes.count)
    }

    private mutating func append(bigEndian number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
