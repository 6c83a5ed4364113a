import CNghttp2

/// Header fields that are the same for every call, in the form that nghttp2 takes.
///
/// They are made once and kept for the life of the process, because nghttp2 is set not to copy
/// names and values.
///
/// `Sendable` is unchecked because of the pointers; the memory behind them is written only in
/// `init`.
package final class FixedFields: @unchecked Sendable {
    // Unchecked is safe: only `init` writes them, and the memory behind them never changes.
    let fields: UnsafeMutablePointer<nghttp2_nv>
    let count: Int
    /// Name, value and 32 bytes for each field, as RFC 9113 counts.
    package let listBytes: Int
    /// The bytes of the fields that are not literals.
    private var block = HeaderBlock()

    /// The header block that asks a client to send the body of its request.
    static let informational = FixedFields([(":status", "100")])

    package init(_ pairs: [(StaticString, StaticString)]) {
        count = pairs.count
        fields = .allocate(capacity: max(1, pairs.count))
        let flags = UInt8(
            NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
        for (index, (name, value)) in pairs.enumerated() {
            // nghttp2 declares these pointers mutable, but only reads through them.
            let field = nghttp2_nv(
                name: UnsafeMutablePointer(mutating: name.utf8Start),
                value: UnsafeMutablePointer(mutating: value.utf8Start),
                namelen: name.utf8CodeUnitCount, valuelen: value.utf8CodeUnitCount, flags: flags)
            (fields + index).initialize(to: field)
        }
        listBytes = pairs.reduce(0) { $0 + $1.0.utf8CodeUnitCount + $1.1.utf8CodeUnitCount + 32 }
    }

    /// The fields of `first`, followed by those of `block`.
    ///
    /// It frees `block` at its own end.
    ///
    /// A peer that has seen the fields finds them in its compression table. This includes fields
    /// that would not be worth a slot there if they were made for one call.
    package init(_ first: FixedFields, owning block: HeaderBlock) {
        self.block = block
        count = first.count + block.count
        listBytes = first.listBytes + block.listBytes
        fields = .allocate(capacity: max(1, count))
        fields.initialize(from: first.fields, count: first.count)
        var rest = block.makeIterator()
        var next = fields + first.count
        while let field = rest.next() {
            next.initialize(to: nghttp2_nv(field, first.fields.pointee.flags))
            next += 1
        }
    }

    deinit {
        fields.deallocate()
        block.free()
    }
}

/// Room in which a list of fields is put together for one call of nghttp2.
final class FieldRoom {
    @exclusivity(unchecked) private var fields: UnsafeMutablePointer<nghttp2_nv>
    @exclusivity(unchecked) private var capacity = 32
    @exclusivity(unchecked) private(set) var count = 0

    init() {
        fields = .allocate(capacity: 32)
    }

    deinit {
        fields.deallocate()
    }

    /// The fixed fields, followed by those of `block`.
    ///
    /// Valid until the next call, and while `block` is.
    func fill(_ fixed: FixedFields?, _ block: HeaderBlock?) -> UnsafeMutablePointer<nghttp2_nv> {
        count = 0
        reserve((fixed?.count ?? 0) + (block?.count ?? 0))
        if let fixed {
            for index in 0..<fixed.count { fields[index] = fixed.fields[index] }
            count = fixed.count
        }
        guard let block else { return fields }
        var rest = block.makeIterator()
        while let field = rest.next() {
            // nghttp2 copies these fields before it returns.
            let flags = rest.isTransient ? UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0
            fields[count] = nghttp2_nv(field, flags)
            count += 1
        }
        return fields
    }

    private func reserve(_ wanted: Int) {
        guard wanted > capacity else { return }
        fields.deallocate()
        capacity = wanted * 2
        fields = .allocate(capacity: capacity)
    }
}

extension nghttp2_nv {
    /// nghttp2 only reads through these pointers.
    fileprivate init(_ field: HeaderField, _ flags: UInt8) {
        self.init(
            name: field.name.mutableStart, value: field.value.mutableStart,
            namelen: field.name.count, valuelen: field.value.count, flags: flags)
    }
}

extension UnsafeRawBufferPointer {
    /// The start in the form that nghttp2 declares; an empty value needs an address too.
    fileprivate var mutableStart: UnsafeMutablePointer<UInt8> {
        let start = baseAddress ?? StaticString("").rawBytes.baseAddress
        // A literal has an address.
        return UnsafeMutablePointer(mutating: start!.assumingMemoryBound(to: UInt8.self))
    }
}
