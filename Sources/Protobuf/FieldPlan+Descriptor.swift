internal import CProtobufC
internal import Synchronization

/// The number that libprotobuf-c expects in a message descriptor, and does not export.
private let descriptorMagic: UInt32 = 0x28AA_EEF9

/// Makes the C descriptor of a message, and all other facts that the Swift side of the codec needs.
///
/// C and the guard have the fields in the order of their numbers; visitors have them in the order
/// of the visit. Nothing made here is ever freed: there are as many schemas as message types, and
/// they live as long.
func makeLayout(
    _ name: StaticString, _ plans: [FieldPlan], keepsUnknown: Bool
) -> UnsafePointer<Layout> {
    precondition(MemoryLayout<ProtobufCMessage>.size == Layout.headerSize)
    precondition(plans.count <= 254, "\(name): the directory holds 254 fields")
    let (slots, size) = assignSlots(plans)
    let order = plans.indices.sorted { plans[$0].number < plans[$1].number }
    let fields = immortal(order.map { makeField(plans[$0], slots[$0]) })
    let rules = immortal(makeRules(order.map { plans[$0] }, name))
    let visited = immortal(slots)
    let descriptor = makeDescriptor(name, fields, order.map { plans[$0].number }, size)
    let ties = order.enumerated().compactMap { rank, index in
        plans[index].child.map { child in
            Ties.Tie(
                child: child, slot: visited + index, rule: rules + rank,
                descriptor: descriptorField(of: fields + rank))
        }
    }
    let tied = UnsafeMutablePointer<Ties>.allocate(capacity: 1)
    tied.initialize(to: Ties(areMade: Atomic(ties.isEmpty), list: ties))
    return UnsafePointer(
        immortal([
            Layout(
                descriptor: UnsafeRawPointer(descriptor), size: size,
                slots: UnsafePointer(visited), name: name,
                rules: UnsafeBufferPointer(start: rules, count: plans.count),
                directory: directory(order.map { plans[$0].number }),
                keepsUnknown: keepsUnknown, ties: tied)
        ]))
}

/// Values in memory that is never freed; always at least one element of room.
private func immortal<T>(_ values: [T]) -> UnsafeMutablePointer<T> {
    let memory = UnsafeMutablePointer<T>.allocate(capacity: max(values.count, 1))
    memory.initialize(from: values, count: values.count)
    return memory
}

/// Lays the C struct out: after the header, every field at a multiple of its size, up to eight.
///
/// The cases of a `oneof` must share one offset. If another case comes, libprotobuf-c clears the
/// bytes of the new case with the size of the old case's type.
private func assignSlots(_ plans: [FieldPlan]) -> (slots: [FieldOffsets], size: Int) {
    var size = Layout.headerSize
    func allocate(_ count: Int) -> UInt32 {
        let alignment = min(count, 8)
        size = (size + alignment - 1) & ~(alignment - 1)
        defer { size += count }
        return UInt32(size)
    }
    var unions: [Int: (value: UInt32, quantifier: UInt32)] = [:]
    let slots = plans.map { plan in
        switch plan.shape {
        case .plain:
            return FieldOffsets(value: allocate(plan.type.slotSize), quantifier: 0, child: nil)
        case .optional:
            // A message is present if its pointer is not nil.
            let quantifier = plan.type == .message ? 0 : allocate(4)
            return FieldOffsets(
                value: allocate(plan.type.slotSize), quantifier: quantifier, child: nil)
        case .repeated:
            let quantifier = allocate(8)
            return FieldOffsets(value: allocate(8), quantifier: quantifier, child: nil)
        case .oneof(let index):
            let shared = unions[index] ?? (allocate(16), allocate(4))
            unions[index] = shared
            return FieldOffsets(value: shared.value, quantifier: shared.quantifier, child: nil)
        }
    }
    return (slots, (size + 7) & ~7)
}

private func makeField(_ plan: FieldPlan, _ slot: FieldOffsets) -> ProtobufCFieldDescriptor {
    var field = ProtobufCFieldDescriptor()
    field.name = cString(plan.name)
    field.id = plan.number
    field.type = plan.type.cType
    field.offset = slot.value
    field.quantifier_offset = slot.quantifier
    switch plan.shape {
    case .plain: field.label = PROTOBUF_C_LABEL_NONE
    case .optional: field.label = PROTOBUF_C_LABEL_OPTIONAL
    case .repeated:
        field.label = PROTOBUF_C_LABEL_REPEATED
        if plan.isPacked { field.flags = flag(PROTOBUF_C_FIELD_FLAG_PACKED) }
    case .oneof:
        field.label = PROTOBUF_C_LABEL_OPTIONAL
        field.flags = flag(PROTOBUF_C_FIELD_FLAG_ONEOF)
    }
    return field
}

/// The slot of a field's `descriptor`.
private func descriptorField(
    of field: UnsafeMutablePointer<ProtobufCFieldDescriptor>
) -> UnsafeMutablePointer<UnsafeRawPointer?> {
    guard let offset = MemoryLayout<ProtobufCFieldDescriptor>.offset(of: \.descriptor) else {
        preconditionFailure("C's fields have slots")
    }
    return (UnsafeMutableRawPointer(field) + offset)
        .assumingMemoryBound(to: UnsafeRawPointer?.self)
}

private func makeDescriptor(
    _ name: StaticString, _ fields: UnsafeMutablePointer<ProtobufCFieldDescriptor>,
    _ numbers: [UInt32], _ size: Int
) -> UnsafeMutablePointer<ProtobufCMessageDescriptor> {
    // A range is a run of consecutive numbers; one more entry closes the list.
    var ranges: [ProtobufCIntRange] = []
    for (index, number) in numbers.enumerated()
    where index == 0 || numbers[index - 1] + 1 != number {
        ranges.append(ProtobufCIntRange(start_value: Int32(number), orig_index: UInt32(index)))
    }
    let rangeCount = ranges.count
    ranges.append(ProtobufCIntRange(start_value: 0, orig_index: UInt32(numbers.count)))

    var descriptor = ProtobufCMessageDescriptor()
    descriptor.magic = descriptorMagic
    descriptor.name = cString(name)
    descriptor.short_name = descriptor.name
    descriptor.c_name = descriptor.name
    descriptor.package_name = cString("")
    descriptor.sizeof_message = size
    descriptor.n_fields = UInt32(numbers.count)
    // It is nil if there are no names: the library looks at the first field before it checks the
    // count.
    descriptor.fields = numbers.isEmpty ? nil : UnsafePointer(fields)
    descriptor.n_field_ranges = UInt32(rangeCount)
    descriptor.field_ranges = UnsafePointer(immortal(ranges))
    return immortal([descriptor])
}

/// The rules of the fields.
///
/// The charge for the struct of a message is added when its layout is tied.
private func makeRules(_ plans: [FieldPlan], _ name: StaticString) -> [FieldRule] {
    var messages: UInt8 = 0
    return plans.map { plan in
        if plan.merges { messages += 1 }
        precondition(
            messages <= CodecLimits.messageFields, "\(name): too many message fields")
        var oneof: UInt8 = 0
        if case .oneof(let index) = plan.shape { oneof = UInt8(index + 1) }
        var isRepeated = false
        if case .repeated = plan.shape { isRepeated = true }
        // The scanned member, the element in C, and the element in Swift.
        let charge = 32 + (isRepeated ? plan.type.slotSize + plan.stride : 0)
        return FieldRule(
            number: plan.number, name: plan.name, content: plan.content,
            isPackable: isRepeated && plan.type.isPackable, once: plan.merges ? messages : 0,
            oneof: oneof, recordCharge: charge, child: nil)
    }
}

private func directory(_ numbers: [UInt32]) -> UnsafeBufferPointer<UInt8> {
    var entries = [UInt8](repeating: 0, count: Int(min(numbers.last ?? 0, 127)) + 1)
    for (index, number) in numbers.enumerated() where number < entries.count {
        entries[Int(number)] = UInt8(index + 1)
    }
    return UnsafeBufferPointer(start: immortal(entries), count: entries.count)
}

/// The bytes of a literal, followed by a NUL.
private func cString(_ literal: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
}

private func flag(_ flag: ProtobufCFieldFlag) -> UInt32 { UInt32(flag.rawValue) }

extension FieldPlan.CType {
    fileprivate var slotSize: Int {
        switch self {
        case .int32, .uint32, .sint32, .fixed32: 4
        case .int64, .uint64, .sint64, .fixed64, .message: 8
        case .bytes: 16
        }
    }

    fileprivate var isPackable: Bool { self != .bytes && self != .message }

    fileprivate var cType: ProtobufCType {
        switch self {
        case .int32: PROTOBUF_C_TYPE_INT32
        case .uint32: PROTOBUF_C_TYPE_UINT32
        case .sint32: PROTOBUF_C_TYPE_SINT32
        case .fixed32: PROTOBUF_C_TYPE_FIXED32
        case .int64: PROTOBUF_C_TYPE_INT64
        case .uint64: PROTOBUF_C_TYPE_UINT64
        case .sint64: PROTOBUF_C_TYPE_SINT64
        case .fixed64: PROTOBUF_C_TYPE_FIXED64
        case .bytes: PROTOBUF_C_TYPE_BYTES
        case .message: PROTOBUF_C_TYPE_MESSAGE
        }
    }
}

extension FieldPlan {
    fileprivate var content: FieldRule.Content {
        switch type {
        case .int32, .uint32, .sint32, .int64, .uint64, .sint64: .varint
        case .fixed64: .fixed64
        case .fixed32: .fixed32
        case .bytes: isText ? .text : .bytes
        case .message: .message
        }
    }
}
