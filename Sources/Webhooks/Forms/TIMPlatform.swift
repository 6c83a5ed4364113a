/// TIM's words for the platforms of devices.
package enum TIMPlatform {
    /// TIM's word for a platform as it was reported, in any case; `Unknown` if TIM has none.
    ///
    /// The callback about presence writes `IOS` for a phone of Apple's.
    package static func word(_ platform: String) -> String {
        switch platform.lowercased() {
        case "ios", "iphone": "IOS"
        case "android": "Android"
        case "web": "Web"
        case "windows", "pc": "Windows"
        case "mac", "macos": "Mac"
        case "ipad", "ipados": "iPad"
        default: "Unknown"
        }
    }
}
