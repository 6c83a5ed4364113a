internal import CProtobufC

/// The number that libprotobuf-c expects in a message descriptor, and does not export.
private let descriptorMagic: UInt32 = 0x28AA_EEF9

/// Makes the C descriptor of a message and all that our side of the codec needs beside it.
///
/// Nothing made here is ever freed: schemas are as many as message types, and live as long.
func makeLayout(
    _ name: StaticString, _ plans: [FieldPlan], keepsUnknown: Bool
) -> UnsafePointer<Layout> {
    precondition(MemoryLayout<ProtobufCMessage>.size == Layout.headerSize)
    precondition(plans.count <= 254, "\(name): the directory holds 254 fields")
    let depth = 1 + (plans.compactMap { $0.child?.pointee.depth }.max() ?? 0)
    precondition(depth <= CodecLimits.schemaDepth, "\(name): messages nest too deep")

    var (places, size) = assignPlaces(plans)
    size = (size + 7) & ~7
    let layout = UnsafeMutablePointer<Layout>.allocate(capacity: 1)
    layout.initialize(
        to: Layout(
            descriptor: UnsafeRawPointer(makeDescriptor(name, plans, places, size)),
            size: size, places: UnsafePointer(immortal(places)), name: name,
            rules: UnsafeBufferPointer(start: immortal(rules(plans, name)), count: plans.count),
            directory: directory(plans), keepsUnknown: keepsUnknown, depth: depth))
    return UnsafePointer(layout)
}

/// Values in memory that is never freed; always at least one element of room.
private func immortal<T>(_ values: [T]) -> UnsafeMutablePointer<T> {
    let memory = UnsafeMutablePointer<T>.allocate(capacity: max(values.count, 1))
    memory.initialize(from: values, count: values.count)
    return memory
}

/// Lays the C struct out: after the header, every field at a multiple of its size, up to eight.
///
/// The cases of a `oneof` must share one place: when another case comes, libprotobuf-c clears the
/// new one's place with the size of the old one's type.
private func assignPlaces(_ plans: [FieldPlan]) -> (places: [Place], size: Int) {
    var size = Layout.headerSize
    func take(_ count: Int) -> UInt32 {
        let alignment = min(count, 8)
        size = (size + alignment - 1) & ~(alignment - 1)
        defer { size += count }
        return UInt32(size)
    }
    var unions: [Int: (value: UInt32, quantifier: UInt32)] = [:]
    let places = plans.map { plan in
        switch plan.shape {
        case .plain:
            return Place(value: take(plan.type.slotSize), quantifier: 0, child: plan.child)
        case .optional:
            // A message is there when its pointer is.
            let quantifier = plan.type == .message ? 0 : take(4)
            return Place(
                value: take(plan.type.slotSize), quantifier: quantifier, child: plan.child)
        case .repeated:
            let quantifier = take(8)
            return Place(value: take(8), quantifier: quantifier, child: plan.child)
        case .oneof(let index):
            let shared = unions[index] ?? (take(16), take(4))
            unions[index] = shared
            return Place(
                value: shared.value, quantifier: shared.quantifier, child: plan.child)
        }
    }
    return (places, size)
}

private func makeDescriptor(
    _ name: StaticString, _ plans: [FieldPlan], _ places: [Place], _ size: Int
) -> UnsafeMutablePointer<ProtobufCMessageDescriptor> {
    let fields = zip(plans, places).map { plan, place in
        var field = ProtobufCFieldDescriptor()
        field.name = cString(plan.name)
        field.id = plan.number
        field.type = plan.type.cType
        field.offset = place.value
        field.quantifier_offset = place.quantifier
        if plan.type == .message {
            field.descriptor = place.child.map { $0.pointee.descriptor }
        }
        switch plan.shape {
        case .plain: field.label = PROTOBUF_C_LABEL_NONE
        case .optional: field.label = PROTOBUF_C_LABEL_OPTIONAL
        case .repeated:
            field.label = PROTOBUF_C_LABEL_REPEATED
            if plan.type.isPackable { field.flags = flag(PROTOBUF_C_FIELD_FLAG_PACKED) }
        case .oneof:
            field.label = PROTOBUF_C_LABEL_OPTIONAL
            field.flags = flag(PROTOBUF_C_FIELD_FLAG_ONEOF)
        }
        return field
    }
    // A range is a run of consecutive numbers; one more entry closes the list.
    var ranges: [ProtobufCIntRange] = []
    for (index, plan) in plans.enumerated()
    where index == 0 || plans[index - 1].number + 1 != plan.number {
        ranges.append(
            ProtobufCIntRange(start_value: Int32(plan.number), orig_index: UInt32(index)))
    }
    let rangeCount = ranges.count
    ranges.append(ProtobufCIntRange(start_value: 0, orig_index: UInt32(plans.count)))

    var descriptor = ProtobufCMessageDescriptor()
    descriptor.magic = descriptorMagic
    descriptor.name = cString(name)
    descriptor.short_name = descriptor.name
    descriptor.c_name = descriptor.name
    descriptor.package_name = cString("")
    descriptor.sizeof_message = size
    descriptor.n_fields = UInt32(fields.count)
    // Nil when there is none: the library looks at the first field before it asks how many.
    descriptor.fields = fields.isEmpty ? nil : UnsafePointer(immortal(fields))
    descriptor.n_field_ranges = UInt32(rangeCount)
    descriptor.field_ranges = UnsafePointer(immortal(ranges))
    return immortal([descriptor])
}

private func rules(_ plans: [FieldPlan], _ name: StaticString) -> [FieldRule] {
    var messages: UInt8 = 0
    return plans.map { plan in
        if plan.merges { messages += 1 }
        precondition(
            messages <= CodecLimits.messageFields, "\(name): too many message fields")
        var oneof: UInt8 = 0
        if case .oneof(let index) = plan.shape { oneof = UInt8(index + 1) }
        var isRepeated = false
        if case .repeated = plan.shape { isRepeated = true }
        // The scanned member, the element in C and the element in Swift.
        var charge = 32
        if isRepeated { charge += plan.type.slotSize + plan.stride }
        if let child = plan.child { charge += child.pointee.size }
        return FieldRule(
            number: plan.number, name: plan.name, content: plan.content,
            isPackable: isRepeated && plan.type.isPackable, once: plan.merges ? messages : 0,
            oneof: oneof, recordCharge: charge, child: plan.child)
    }
}

private func directory(_ plans: [FieldPlan]) -> UnsafeBufferPointer<UInt8> {
    var entries = [UInt8](repeating: 0, count: Int(min(plans.last?.number ?? 0, 127)) + 1)
    for (index, plan) in plans.enumerated() where plan.number < entries.count {
        entries[Int(plan.number)] = UInt8(index + 1)
    }
    return UnsafeBufferPointer(start: immortal(entries), count: entries.count)
}

/// The bytes of a literal, which end with a NUL.
private func cString(_ literal: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
}

private func flag(_ flag: ProtobufCFieldFlag) -> UInt32 { UInt32(flag.rawValue) }

extension FieldPlan.CType {
    fileprivate var slotSize: Int {
        switch self {
        case .int32, .uint32: 4
        case .int64, .uint64, .fixed64, .message: 8
        case .bytes: 16
        }
    }

    fileprivate var isPackable: Bool { self != .bytes && self != .message }

    fileprivate var cType: ProtobufCType {
        switch self {
        case .int32: PROTOBUF_C_TYPE_INT32
        case .uint32: PROTOBUF_C_TYPE_UINT32
        case .int64: PROTOBUF_C_TYPE_INT64
        case .uint64: PROTOBUF_C_TYPE_UINT64
        case .fixed64: PROTOBUF_C_TYPE_FIXED64
        case .bytes: PROTOBUF_C_TYPE_BYTES
        case .message: PROTOBUF_C_TYPE_MESSAGE
        }
    }
}

extension FieldPlan {
    fileprivate var content: FieldRule.Content {
        switch type {
        case .int32, .uint32, .int64, .uint64: .varint
        case .fixed64: .fixed64
        case .bytes: isText ? .text : .bytes
        case .message: .message
        }
    }
}
