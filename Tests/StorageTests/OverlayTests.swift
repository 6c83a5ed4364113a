import StorageSuite
import Testing

@testable import Storage

@Suite struct OverlayTests {
    @Test func entriesAreFoundAgainAfterTheTableGrew() {
        var overlay = Overlay()
        let keys = (0..<5000).map { Array("key \($0)".utf8) }
        for _ in 0..<2 {
            for (index, key) in keys.enumerated() {
                let entry = key.withUnsafeBytes { overlay.entry(of: $0) }
                #expect(entry == index)
            }
        }
        overlay.checkInvariants()
        overlay.removeAll()
        #expect(overlay.entries.isEmpty)
        let entry = keys[7].withUnsafeBytes { overlay.entry(of: $0) }
        #expect(entry == 0, "nothing is left of the last transaction")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func aTransactionsRowsAreThoseOfADictionary(_ seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var overlay = Overlay()
        var states: [[String: String?]] = [[:]]
        var counts = [0]
        for step in 0..<3000 {
            var state = states[states.count - 1]
            if step % 97 == 96, states.count > 1 {
                let back = Int.random(in: 0..<states.count, using: &numbers)
                states.removeLast(states.count - 1 - back)
                counts.removeLast(counts.count - 1 - back)
                overlay.undo(to: counts[back])
                state = states[back]
            } else {
                let name = "\(Int.random(in: 0..<200, using: &numbers))"
                let value = Bool.random(using: &numbers) ? "\(step)" : nil
                let entry = Array(name.utf8).withUnsafeBytes { overlay.entry(of: $0) }
                if let value {
                    Array(value.utf8).withUnsafeBytes { overlay.change(entry, to: $0) }
                } else {
                    overlay.change(entry, to: nil)
                }
                state.updateValue(value, forKey: name)
                states.append(state)
                counts.append(overlay.changeCount)
            }
            guard step % 50 == 0 || step % 97 == 96 else { continue }
            overlay.checkInvariants()
            #expect(changes(&overlay) == state, "seed \(seed), step \(step)")
        }
    }

    /// The changes in the overlay, read in the order of the keys.
    private func changes(_ overlay: inout Overlay) -> [String: String?] {
        let lower: [UInt8] = [0]
        let upper: [UInt8] = [0xFF]
        let range = lower.withUnsafeBytes { lower in
            upper.withUnsafeBytes { upper in overlay.changed(from: lower, to: upper) }
        }
        overlay.checkInvariants()
        var found: [String: String?] = [:]
        for index in overlay.changed[range] {
            let entry = overlay.entries[Int(index)]
            guard entry.isChanged else { continue }
            let key = String(decoding: entry.key, as: UTF8.self)
            if case .present(let value) = entry.now {
                found.updateValue(String(decoding: value, as: UTF8.self), forKey: key)
            } else {
                found.updateValue(nil, forKey: key)
            }
        }
        return found
    }
}
