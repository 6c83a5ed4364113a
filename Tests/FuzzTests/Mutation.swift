import PeerSupport

/// Makes new inputs from old ones.
///
/// The seed alone decides what it does. The caller decides how bytes change, so that libFuzzer can
/// use what it has learnt.
struct Mutation {
    /// Changes bytes, which may then be longer by the given number.
    typealias Bytes = (_ bytes: [UInt8], _ limit: Int) -> [UInt8]

    let form: FuzzTarget.Form
    let maxBytes: Int

    func apply(
        to input: [UInt8], _ random: inout SeededNumbers, _ change: Bytes
    ) -> [UInt8] {
        let changed: [UInt8]
        switch form {
        case .bytes, .text: changed = change(input, maxBytes)
        case .frames(let side):
            guard let options = input.first, Int.random(in: 0..<8, using: &random) > 0 else {
                changed = change(input, maxBytes)
                break
            }
            var list = FrameList(input.dropFirst())
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                changeFrame(of: &list, side, &random, change)
            }
            let isOther = Int.random(in: 0..<16, using: &random) == 0
            changed = [isOther ? UInt8.random(in: 0...255, using: &random) : options] + list.bytes
        }
        return Array(changed.prefix(maxBytes))
    }

    private func changeFrame(
        of list: inout FrameList, _ side: RandomFrames.Side, _ random: inout SeededNumbers,
        _ change: Bytes
    ) {
        let old = list.frames.indices.randomElement(using: &random)
        let index = Int.random(in: 0...list.frames.count, using: &random)
        guard let old, Int.random(in: 0..<4, using: &random) > 0 else {
            var frames = RandomFrames(side)
            var frame = frames.next(&random)
            // The frame goes to any of the streams that exist.
            if frame.stream > 0 { frame.stream = 2 * UInt32.random(in: 0..<6, using: &random) + 1 }
            return list.frames.insert(frame, at: index)
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: list.frames.remove(at: old)
        case 1: list.frames.insert(list.frames[old], at: index)
        case 2: list.frames.swapAt(old, min(index, list.frames.count - 1))
        case 3: list.frames[old].flags ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 4: list.frames[old].type = UInt8.random(in: 0...11, using: &random)
        case 5: list.frames[old].stream = UInt32.random(in: 0...12, using: &random)
        case 6: split(old, &list)
        default:
            list.frames[old].payload = change(list.frames[old].payload, maxBytes / 4)
        }
    }

    /// Moves half of a frame's payload into a `CONTINUATION`.
    private func split(_ index: Int, _ list: inout FrameList) {
        let frame = list.frames[index]
        let half = frame.payload.count / 2
        list.frames[index].payload = Array(frame.payload.prefix(half))
        list.frames[index].flags &= ~Frame.endHeaders
        list.frames.insert(
            Frame(
                .continuation, flags: frame.flags & Frame.endHeaders, stream: frame.stream,
                payload: Array(frame.payload.dropFirst(half))), at: index + 1)
    }

    /// The way in which bytes change if the caller has no better one.
    static func change(
        _ bytes: [UInt8], limit: Int, _ random: inout SeededNumbers
    ) -> [UInt8] {
        var bytes = bytes
        let odd = Array("{}[]\",:\\0129eE+-.u_=%\u{0}\u{7f}\u{e9}".utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let offset = Int.random(in: 0...bytes.count, using: &random)
            guard offset < bytes.count, bytes.count < limit else {
                bytes.append(UInt8.random(in: 0...255, using: &random))
                continue
            }
            switch Int.random(in: 0..<7, using: &random) {
            case 0: bytes[offset] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes[offset] = odd.randomElement(using: &random) ?? 0
            case 3: bytes.remove(at: offset)
            case 4:
                bytes.insert([0, 1, 127, 128, 255].randomElement(using: &random) ?? 0, at: offset)
            case 5: bytes.removeSubrange(offset...)
            default:
                let end = Int.random(in: offset...min(bytes.count, offset + 40), using: &random)
                bytes.insert(contentsOf: bytes[offset..<end], at: offset)
            }
        }
        return bytes
    }
}
