package import RelationCore
import RelationModel

extension ProfileRecord {
    /// A profile that has a value in every stored field, and none in custom ones.
    package static let full: ProfileRecord = {
        var full = ProfileRecord()
        full.nick = "n"
        full.faceURL = "f"
        full.allowType = .denyAny
        full.gender = .male
        full.birthday = 2000_01_01
        full.location = [0, 255]
        full.language = 1
        full.level = 2
        full.role = 3
        full.selfSignature = [9]
        full.msgSettings = 4
        full.adminForbidType = .sendOut
        full.uniqueID = "u1"
        full.email = "e"
        full.birthdayText = "b"
        full.locationText = "l"
        full.name = "N"
        full.firstName = "F"
        full.middleName = "M"
        full.lastName = "L"
        full.link = "k"
        full.username = "x"
        full.locale = "zh_TW"
        full.pictureURL = "p"
        return full
    }()
}
