import CNghttp2

/// Header fields that are the same at every call, in the form that nghttp2 takes.
///
/// Made once and kept for the life of the process: nghttp2 is told not to copy names and values.
///
/// `Sendable` is unchecked because of the pointers: what they point to is written in `init` alone.
package final class FixedFields: @unchecked Sendable {
    // Unchecked is true: both are written in `init` only, and what they point to never changes.
    let fields: UnsafeMutablePointer<nghttp2_nv>
    let count: Int

    package init(_ pairs: [(StaticString, StaticString)]) {
        count = pairs.count
        fields = .allocate(capacity: max(1, pairs.count))
        let flags = UInt8(
            NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
        for (index, (name, value)) in pairs.enumerated() {
            // nghttp2 declares these pointers mutable and only reads through them.
            let field = nghttp2_nv(
                name: UnsafeMutablePointer(mutating: name.utf8Start),
                value: UnsafeMutablePointer(mutating: value.utf8Start),
                namelen: name.utf8CodeUnitCount, valuelen: value.utf8CodeUnitCount, flags: flags)
            (fields + index).initialize(to: field)
        }
    }

    deinit {
        fields.deallocate()
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

    /// The fixed fields and then those of `block`, valid until the next call and while `block` is.
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
            // nghttp2 only reads through these pointers, and copies before it returns.
            fields[count] = nghttp2_nv(
                name: field.name.mutableStart, value: field.value.mutableStart,
                namelen: field.name.count, valuelen: field.value.count,
                flags: rest.isTransient ? UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0)
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

extension UnsafeRawBufferPointer {
    /// The start in the form that nghttp2 declares; an empty value needs some address too.
    fileprivate var mutableStart: UnsafeMutablePointer<UInt8> {
        let start = baseAddress ?? StaticString("").rawBytes.baseAddress
        // A literal has an address.
        return UnsafeMutablePointer(mutating: start!.assumingMemoryBound(to: UInt8.self))
    }
}
