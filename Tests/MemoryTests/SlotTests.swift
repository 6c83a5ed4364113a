import Memory
import Testing

/// A slot gives an object to the key under which it was put there, and to no other.
@Suite struct SlotTests {
    private final class Principal {}
    private final class Request {}

    @Test func anObjectIsFoundUnderItsKeyAlone() {
        let (key, twin, other) = (SlotKey<Principal>(), SlotKey<Principal>(), SlotKey<Request>())
        var slot = Slot()
        #expect(slot[key] == nil && slot[other] == nil)
        let principal = Principal()
        slot[key] = principal
        #expect(slot[key] === principal)
        #expect(slot.unretained[key]?.takeUnretainedValue() === principal)
        #expect(slot.unretained[twin] == nil)
        #expect(slot[twin] == nil)
        #expect(slot[other] == nil)
    }

    @Test func anObjectTakesThePlaceOfTheOneBefore() {
        let (key, other) = (SlotKey<Principal>(), SlotKey<Request>())
        var slot = Slot()
        slot[key] = Principal()
        let request = Request()
        slot[other] = request
        #expect(slot[other] === request)
        #expect(slot[key] == nil)
        slot[other] = nil
        #expect(slot[other] == nil && slot[key] == nil)
    }
}
