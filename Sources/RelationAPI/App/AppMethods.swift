public import Protobuf

/// The apps.
public enum AppMethods {
    private static let service: StaticString = "relation.v1.AppService"

    /// Reads an app with its settings.
    public static let getApp = Method<
        GetAppRequest, GetAppResponse
    >(service, "GetApp", .read, for: .administrators)
}
