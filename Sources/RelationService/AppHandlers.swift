import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

/// AppService.
package enum AppHandlers {
    package static func register(in router: Router) {
        router.read(AppMethods.getApp, get)
    }

    static func get(
        _ request: GetAppRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<GetAppResponse> {
        { _ throws(StorageError) in
            var response = GetAppResponse()
            var app = AppDescription()
            app.appID = call.app.id
            app.preset = call.app.settings.preset
            response.app = app
            return response
        }
    }
}
