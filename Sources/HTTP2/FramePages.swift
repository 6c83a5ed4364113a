/// Memory for the blocks in which sessions make their frames, of which most is never touched.
///
/// A session has one such block, with room for the longest frame. An idle connection touches the
/// first few hundred bytes of it. So the system gives it a page for them, and little more than half
/// of that page would be used. Here the beginning of that page is another block: the annex. It
/// takes the state of a session, which may be another one.
///
/// The pages of a block and its annex are given back together, when both are free. So there are as
/// many free parts as parts in use at most.
///
/// - Important: It belongs to one event loop. The owner of the last copy has got everything back.
struct FramePages {
    typealias Part = UnsafeMutableRawPointer

    /// The bytes before each part, whose first word is its owner's.
    static let headerBytes = 16
    private static let pageBytes = 4_096
    private static let totalBytes = 5 * pageBytes
    /// Where the frame begins, with its header; the annex ends there.
    private static let frameOffset = 3_840

    /// The sizes of blocks that get a frame's part, and of those that get an annex.
    static let frameSizes = 2 * pageBytes...totalBytes - frameOffset - headerBytes
    static let annexSizes = frameOffset / 2...frameOffset - headerBytes

    /// A part that is free begins with this word, and the links to others.
    private static let freeMark = UInt.max
    private static let (nextOffset, previousOffset) = (16, 24)

    private var freeFrames: Part?
    private var freeAnnexes: Part?
    /// The blocks of pages that there are.
    private(set) var count = 0

    /// A frame's part, which begins with its header.
    mutating func allocateFrame() -> Part {
        if let frame = freeFrames {
            Self.unlink(frame, from: &freeFrames)
            return frame
        }
        let annex = Part.allocate(byteCount: Self.totalBytes, alignment: Self.pageBytes)
        count += 1
        Self.link(annex, into: &freeAnnexes)
        return annex + Self.frameOffset
    }

    /// An annex, which begins with its header; nil if none is free.
    mutating func allocateAnnex() -> Part? {
        guard let annex = freeAnnexes else { return nil }
        Self.unlink(annex, from: &freeAnnexes)
        return annex
    }

    mutating func free(frame: Part) {
        let annex = frame - Self.frameOffset
        guard Self.isFree(annex) else { return Self.link(frame, into: &freeFrames) }
        Self.unlink(annex, from: &freeAnnexes)
        release(annex)
    }

    mutating func free(annex: Part) {
        let frame = annex + Self.frameOffset
        guard Self.isFree(frame) else { return Self.link(annex, into: &freeAnnexes) }
        Self.unlink(frame, from: &freeFrames)
        release(annex)
    }

    private mutating func release(_ pages: Part) {
        pages.deallocate()
        count -= 1
    }

    // MARK: Lists of free parts

    private static func isFree(_ part: Part) -> Bool { part.load(as: UInt.self) == freeMark }

    private static func link(_ part: Part, into first: inout Part?) {
        part.storeBytes(of: freeMark, as: UInt.self)
        part.storeBytes(of: first, toByteOffset: nextOffset, as: Part?.self)
        part.storeBytes(of: nil, toByteOffset: previousOffset, as: Part?.self)
        first?.storeBytes(of: part, toByteOffset: previousOffset, as: Part?.self)
        first = part
    }

    private static func unlink(_ part: Part, from first: inout Part?) {
        let next = part.load(fromByteOffset: nextOffset, as: Part?.self)
        let previous = part.load(fromByteOffset: previousOffset, as: Part?.self)
        if let previous {
            previous.storeBytes(of: next, toByteOffset: nextOffset, as: Part?.self)
        } else {
            first = next
        }
        next?.storeBytes(of: previous, toByteOffset: previousOffset, as: Part?.self)
        // Its owner writes a word of its own; until then it is in use all the same.
        part.storeBytes(of: 0, as: UInt.self)
    }
}
