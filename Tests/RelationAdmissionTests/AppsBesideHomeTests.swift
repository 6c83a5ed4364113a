import RelationCore
import Testing

@testable import RelationAdmission

/// Apps of a store beside the home of a fleet, where the operators' keys stand.
struct AppsBesideHomeTests {
    @Test func aChangeAtHomeMakesTheFindingsBesideItVoid() {
        let home = Apps([App(id: 1, settings: .tim)])
        let beside = Apps([App(id: 2, settings: .tim)])
        home.leads(beside)
        let (before, atHome) = (beside.generation, home.generation)
        home.stage(
            CredentialChange(
                app: App.registry.id, id: CredentialID("one"), record: CredentialRecord()))
        #expect(beside.generation == before)
        home.publish()
        #expect(beside.generation == before + 1)
        home.replace([], [], registry: .registry, version: 5)
        #expect(beside.generation == before + 2)
        beside.renew()
        #expect(home.generation == atHome + 2)
    }

    @Test func appsThatAreGoneAreFollowedNoMore() {
        let home = Apps([App(id: 1, settings: .tim)])
        home.leads(Apps([]))
        let beside = Apps([])
        home.leads(beside)
        home.renew()
        #expect(beside.generation == 1)
    }
}
