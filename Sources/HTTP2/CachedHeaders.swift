import CNghttp2
package import Memory

/// The header block of a request that came on the connection before, so that it is known when it
/// comes again.
///
/// Nearly all calls of a client repeat a header block, field by field, but for the time that the
/// call has and the number of its trace. nghttp2 keeps a repeated field at one address. So most
/// fields are known by two addresses. Then nothing is copied, and the call layer finds what it made
/// of the header block, in ``slot``.
///
/// A field whose value differs in each call is open: it is known by its name, and its value goes to
/// the header block of its stream.
///
/// - Important: It belongs to its session, and is valid while that has not replaced it.
package final class CachedHeaders {
    struct Field {
        /// The memory that nghttp2 had for the field last, which is held; nil before.
        var name: OpaquePointer?
        var value: OpaquePointer?
        /// Views of ``block``; an open field has no value, and its name is a literal.
        let field: HeaderField
        let isOpen: Bool
    }

    /// All fields but the open ones.
    package var block: HeaderBlock { closed }

    @exclusivity(unchecked) private var closed = HeaderBlock()

    /// The slot in which the call layer keeps what it made of the header block; that must hold for
    /// every call that repeats the header block.
    @exclusivity(unchecked) package var slot = Slot()

    /// ``slot`` for a reader that does not retain what is in it.
    ///
    /// It is read here, because another module would check the access and retain the object: some
    /// 250 instructions for each call.
    package var unretainedSlot: UnretainedSlot { slot.unretained }

    let fields: UnsafeMutablePointer<Field>
    let count: Int
    /// How many of the fields are open.
    private(set) var openCount = 0

    /// The memory that the header block takes.
    private(set) var memoryBytes: Int

    /// The compressed block in which the header block came last, if its bytes alone identify the
    /// header block.
    @exclusivity(unchecked) private(set) var repeated: RepeatedBlock?

    /// The bytes of HTTP/1.1 in which the header block came last.
    @exclusivity(unchecked) private(set) var written: HeaderSection?

    /// - Parameter open: The names of fields whose values differ in each call.
    init(_ headers: HeaderBlock, open: [StaticString]) {
        count = headers.count
        fields = .allocate(capacity: max(1, headers.count))
        // It has no more memory than it needs: each connection keeps a few such blocks.
        closed = HeaderBlock(roomFor: headers)
        var rest = headers.makeIterator()
        while let field = rest.next() {
            if Self.openName(of: field, among: open) != nil { openCount += 1 }
        }
        // None of too many is open: a name is either that of open fields, or of none.
        let open = openCount > SessionLimits.openFields ? [] : open
        if open.isEmpty { openCount = 0 }
        rest = headers.makeIterator()
        var index = 0
        while let field = rest.next() {
            if let name = Self.openName(of: field, among: open) {
                let view = HeaderField(
                    name: name.rawBytes, value: UnsafeRawBufferPointer(start: nil, count: 0))
                (fields + index).initialize(to: Field(field: view, isOpen: true))
            } else {
                closed.append(field.name, field.value)
                (fields + index).initialize(to: Field(field: field, isOpen: false))
            }
            index += 1
        }
        // The views are made when the block has its last address.
        var known = closed.makeIterator()
        for index in 0..<count where !fields[index].isOpen {
            guard let view = known.next() else { break }
            fields[index] = Field(field: view, isOpen: false)
        }
        // nghttp2 keeps the fields too, and each in up to twice its encoded length.
        memoryBytes =
            3 * closed.capacity + SessionLimits.cachedHeaderBytes
            + count * (MemoryLayout<Field>.stride + SessionLimits.knownFieldBytes)
    }

    private static func openName(
        of field: HeaderField, among names: [StaticString]
    ) -> StaticString? {
        names.first { field.name.isEqual(to: $0) }
    }

    deinit {
        for index in 0..<count {
            if let name = fields[index].name { nghttp2_rcbuf_decref(name) }
            if let value = fields[index].value { nghttp2_rcbuf_decref(value) }
        }
        fields.deallocate()
        closed.free()
        repeated?.free()
        written?.free()
    }

    /// Remembers the bytes of HTTP/1.1 in which the header block came.
    func remember(_ section: HeaderSection) {
        memoryBytes += section.memoryBytes - (written?.memoryBytes ?? 0)
        written?.free()
        written = section
    }

    /// Whether `headers` are the same fields; the open ones of them are added to `open` then.
    func isSame(as headers: HeaderBlock, open: inout HeaderBlock) -> Bool {
        guard headers.count == count else { return false }
        var rest = headers.makeIterator()
        for index in 0..<count {
            guard let field = rest.next(), field.name.isEqual(to: fields[index].field.name) else {
                return false
            }
            if fields[index].isOpen {
                guard field.value.count <= SessionLimits.openFieldBytes else { return false }
            } else if !field.value.isEqual(to: fields[index].field.value) {
                return false
            }
        }
        guard openCount > 0 else { return true }
        rest = headers.makeIterator()
        for index in 0..<count {
            guard let field = rest.next() else { break }
            if fields[index].isOpen { open.append(field.name, field.value) }
        }
        return true
    }

    /// Remembers the compressed block in which the header block came.
    ///
    /// - Parameter open: The open fields, as they came in it.
    func remember(_ block: UnsafeRawBufferPointer, _ tableVersion: Int, open: HeaderBlock) {
        // A table that has changed may still have the fields at the same addresses.
        if repeated?.isRenewed(by: block, tableVersion, open: open) == true { return }
        memoryBytes -= repeated?.memoryBytes ?? 0
        repeated?.free()
        repeated = RepeatedBlock(block, of: self, tableVersion, open: open)
        memoryBytes += repeated?.memoryBytes ?? 0
    }

    /// Whether the header block came in a block of these bytes, with the same compression table.
    func wasEncoded(in block: UnsafeRawBufferPointer, _ tableVersion: Int) -> Bool {
        repeated?.isSame(block, tableVersion) ?? false
    }

    /// Whether the header block came in such a block but for the values of its open fields.
    func isOpen(to block: UnsafeRawBufferPointer, _ tableVersion: Int) -> Bool {
        repeated?.takesValues(of: block, tableVersion) ?? false
    }

    /// How a field agrees with the one that is cached.
    enum Match {
        case same
        /// The name is known, and the value is open and short.
        case open
        case different
    }

    /// Compares a field of the header block with a field that has arrived in other memory.
    func match(_ index: Int, _ name: OpaquePointer, _ value: OpaquePointer) -> Match {
        guard index < count else { return .different }
        let field = fields + index
        guard field.pointee.name == name || field.pointee.field.name.isEqual(to: bytes(of: name))
        else { return .different }
        let value = (held: value, bytes: bytes(of: value))
        if field.pointee.isOpen {
            return value.bytes.count <= SessionLimits.openFieldBytes ? .open : .different
        }
        guard field.pointee.field.value.isEqual(to: value.bytes) else { return .different }
        // The fields are the same at another address, which is remembered for the next time.
        nghttp2_rcbuf_incref(name)
        nghttp2_rcbuf_incref(value.held)
        if let old = field.pointee.name { nghttp2_rcbuf_decref(old) }
        if let old = field.pointee.value { nghttp2_rcbuf_decref(old) }
        (field.pointee.name, field.pointee.value) = (name, value.held)
        return .same
    }

    /// Whether both header blocks begin with the same `count` fields.
    func begins(like other: CachedHeaders, _ count: Int) -> Bool {
        guard count <= self.count else { return false }
        for index in 0..<count {
            let (mine, theirs) = (fields[index], other.fields[index])
            guard mine.isOpen == theirs.isOpen, mine.field.name.isEqual(to: theirs.field.name),
                mine.field.value.isEqual(to: theirs.field.value)
            else { return false }
        }
        return true
    }

    /// Whether the header block is exactly the first `count` fields of a longer one.
    func isBeginning(of longer: CachedHeaders, _ count: Int) -> Bool {
        self.count == count && begins(like: longer, count)
    }

    /// Puts the first `count` fields into `headers`, which has the open ones of them, in the order
    /// in which they came.
    func copy(_ count: Int, to headers: inout HeaderBlock) {
        var came = headers
        headers = HeaderBlock()
        var open = came.makeIterator()
        for index in 0..<count {
            if !fields[index].isOpen {
                headers.append(fields[index].field.name, fields[index].field.value)
            } else if let field = open.next() {
                headers.append(field.name, field.value)
            }
        }
        came.free()
    }
}

/// The bytes of a field that nghttp2 keeps, valid as long as it is held.
func bytes(of field: OpaquePointer) -> UnsafeRawBufferPointer {
    let view = nghttp2_rcbuf_get_buf(field)
    return UnsafeRawBufferPointer(start: view.base, count: view.len)
}

/// The header blocks that a session knows, and how far the header block that is arriving has
/// matched one of them.
struct HeaderCache {
    private var entries: [CachedHeaders] = []
    /// The index of the header block that is replaced next.
    private var oldest = 0
    /// The names of fields whose values differ in each call; nil if no header block is remembered.
    let open: [StaticString]?

    /// The header block that the arriving one has matched so far, with its next field and its end;
    /// nil if there is none.
    ///
    /// A header block in `entries` lives until it is replaced, and then no pointer to it is left
    /// here.
    private var candidate: Unmanaged<CachedHeaders>?
    private var next: UnsafeMutablePointer<CachedHeaders.Field>?
    private var end: UnsafeMutablePointer<CachedHeaders.Field>?

    /// The header block that was matched last.
    private var latest: Unmanaged<CachedHeaders>?
    /// Header blocks that were not known, since one was.
    private var unauthenticated = 0

    init(open: [StaticString]?) {
        self.open = open
    }

    /// No header block is arriving that may be a known one.
    mutating func stop() {
        candidate = nil
        next = nil
    }

    /// A header block begins to arrive.
    mutating func begin() {
        guard let latest else { return }
        latest._withUnsafeGuaranteedRef { follow($0, from: 0) }
    }

    private mutating func follow(_ headers: CachedHeaders, from index: Int) {
        // It is one of `entries`, and none of them is replaced while a header block arrives.
        candidate = Unmanaged.passUnretained(headers)
        next = headers.fields + index
        end = headers.fields + headers.count
    }

    /// Whether a field is the next one of the candidate, by its address.
    @inline(__always)
    mutating func takes(_ name: OpaquePointer, _ value: OpaquePointer) -> Bool {
        guard let next, next != end, next.pointee.value == value, next.pointee.name == name else {
            return false
        }
        self.next = next + 1
        return true
    }

    /// Whether a header block is arriving that may be a known one.
    var isFollowing: Bool { candidate != nil }

    /// The index of a field of the arriving header block.
    enum Fate {
        /// It is known, so the stream need not keep it.
        case known
        /// The stream keeps it.
        case kept
        /// The stream keeps it, and got the fields before it that were thought to be known.
        case strange
    }

    /// Takes a field that is at another address than the candidate's.
    mutating func match(
        _ name: OpaquePointer, _ value: OpaquePointer, _ headers: inout HeaderBlock
    ) -> Fate {
        guard let current = candidate?.takeUnretainedValue(), let next else { return .kept }
        let index = next - current.fields
        var match = current.match(index, name, value)
        if match == .different {
            let other = entries.first { other in
                guard other !== current, other.begins(like: current, index) else { return false }
                match = other.match(index, name, value)
                return match != .different
            }
            guard let other else {
                candidate = nil
                self.next = nil
                current.copy(index, to: &headers)
                return .strange
            }
            follow(other, from: index)
        }
        self.next = self.next.map { $0 + 1 }
        return match == .same ? .known : .kept
    }

    /// The cached header block that came in a block of the same bytes.
    ///
    /// - Parameter tableVersion: See ``FrameWalk/tableVersion``.
    mutating func find(
        _ block: UnsafeRawBufferPointer, _ tableVersion: Int
    ) -> Unmanaged<CachedHeaders>? {
        // Each is one of `entries`.
        if let latest, latest._withUnsafeGuaranteedRef({ $0.wasEncoded(in: block, tableVersion) }) {
            return latest
        }
        guard let headers = entries.first(where: { $0.wasEncoded(in: block, tableVersion) }) else {
            return nil
        }
        // As above: `entries` keep it.
        let found = Unmanaged.passUnretained(headers)
        latest = found
        unauthenticated = 0
        return found
    }

    /// The cached header block that came in such a block but for the values of its open fields,
    /// which its ``RepeatedBlock`` has found.
    mutating func findOpen(
        _ block: UnsafeRawBufferPointer, _ tableVersion: Int
    ) -> Unmanaged<CachedHeaders>? {
        // Each is one of `entries`.
        if let latest,
            latest._withUnsafeGuaranteedRef({ $0.isOpen(to: block, tableVersion) })
        {
            return latest
        }
        guard let headers = entries.first(where: { $0.isOpen(to: block, tableVersion) }) else {
            return nil
        }
        // As above: `entries` keep it.
        let found = Unmanaged.passUnretained(headers)
        latest = found
        unauthenticated = 0
        return found
    }

    /// The cached header block with the fields of `headers`.
    ///
    /// - Parameter open: Gets the open ones of them.
    mutating func find(
        _ headers: HeaderBlock, open: inout HeaderBlock
    ) -> Unmanaged<CachedHeaders>? {
        guard let same = entries.first(where: { $0.isSame(as: headers, open: &open) }) else {
            return nil
        }
        return found(same)
    }

    /// The cached header block that the bytes begin with, in HTTP/1.1.
    mutating func find(
        writtenIn bytes: UnsafeRawBufferPointer
    ) -> (known: Unmanaged<CachedHeaders>, span: HeaderSection.Span)? {
        // Each is one of `entries`.
        if let latest,
            let span = latest._withUnsafeGuaranteedRef({ $0.written?.span(in: bytes) })
        {
            return (latest, span)
        }
        for headers in entries {
            if let span = headers.written?.span(in: bytes) { return (found(headers), span) }
        }
        return nil
    }

    /// Notes the entry that was found.
    ///
    /// - Returns: The entry, not retained: it is one of `entries`, which keep it alive.
    private mutating func found(_ headers: CachedHeaders) -> Unmanaged<CachedHeaders> {
        let known = Unmanaged.passUnretained(headers)
        latest = known
        unauthenticated = 0
        return known
    }

    /// Forgets all header blocks, and returns them.
    mutating func removeAll() -> [CachedHeaders] {
        let all = entries
        self = HeaderCache(open: open)
        return all
    }

    /// The header block has arrived.
    ///
    /// - Parameter headers: The fields that its stream has kept; gets the rest if the header block
    ///   is not known.
    /// - Returns: The header block that it repeats.
    mutating func end(_ headers: inout HeaderBlock) -> Unmanaged<CachedHeaders>? {
        guard var known = candidate, let next else { return nil }
        candidate = nil
        self.next = nil
        if next != end {
            let longer = known.takeUnretainedValue()
            let count = next - longer.fields
            guard let same = entries.first(where: { $0.isBeginning(of: longer, count) }) else {
                longer.copy(count, to: &headers)
                return nil
            }
            // It is one of `entries`.
            known = Unmanaged.passUnretained(same)
        }
        latest = known
        unauthenticated = 0
        return known
    }

    /// Remembers a header block that was not known, if it may come again.
    ///
    /// If many came in a row, the client does not repeat its header blocks, and only a few are
    /// remembered.
    ///
    /// - Returns: The header block that had to make room, and the new one.
    mutating func insert(_ headers: HeaderBlock) -> (dropped: CachedHeaders?, kept: CachedHeaders)?
    {
        guard let open, headers.listBytes <= SessionLimits.cachedHeaderListBytes else { return nil }
        unauthenticated &+= 1
        guard
            unauthenticated <= SessionLimits.headerCache
                || unauthenticated % SessionLimits.unknownHeaders == 0
        else { return nil }
        let known = CachedHeaders(headers, open: open)
        // It is added to `entries` below, which keep it.
        latest = Unmanaged.passUnretained(known)
        guard entries.count == SessionLimits.headerCache else {
            entries.append(known)
            return (nil, known)
        }
        let dropped = entries[oldest]
        entries[oldest] = known
        oldest = (oldest + 1) % entries.count
        return (dropped, known)
    }
}
