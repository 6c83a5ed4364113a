public import Protobuf
public import RelationModel

// The messages about credentials in proto/relation/v1/app.proto, where every
// field is explained.

/// The request of CreateCredential.
public struct CreateCredentialRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The name of the credential, for people: at most 128 bytes; may be empty.
    public var name = ""
    /// The scopes of the credential: 1 to 4 different ones of SCOPE_READ, SCOPE_WRITE, SCOPE_WATCH
    /// and SCOPE_ADMIN.
    public var scopes: [Scope] = []
    /// Until when the credential is good; this must be in the future.
    public var expireTimeMs: Int64 = 0
    /// The SHA-256 of a client certificate's DER encoding: 32 bytes, or empty.
    public var certificateSHA256: [UInt8] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateCredentialRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "scopes", &scopes)
        visitor.field(5, "expire_time_ms", &expireTimeMs)
        visitor.field(6, "certificate_sha256", &certificateSHA256)
    }
}

/// The response of CreateCredential, whose `applied` says whether the credential was made.
public struct CreateCredentialResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The new credential.
    public var credential: Credential?
    /// The whole key, to send as `authorization: Bearer KEY`.
    public var key = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateCredentialResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "credential", &credential)
        visitor.secret(5, "key", &key)
        write.visitLast(&visitor)
    }
}

/// The request of ListCredentials.
public struct ListCredentialsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most credentials to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListCredentialsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListCredentials.
public struct ListCredentialsResponse: CodedMessage, PagedList {
    /// The credentials of this page.
    public var credentials: [Credential] = []
    public var nextPageToken = ""
    /// How many credentials the app has: at most 100.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [Credential] { credentials }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListCredentialsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "credentials", &credentials)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of RevokeCredential.
public struct RevokeCredentialRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The id of the credential.
    public var credentialID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeCredentialRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "credential_id", &credentialID)
    }
}

/// The response of RevokeCredential, whose `applied` says whether the credential was ended.
public struct RevokeCredentialResponse: WriteResponse {
    public var write = WriteOutcome()

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeCredentialResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        write.visitLast(&visitor)
    }
}

/// The request of RotateAppSecret.
public struct RotateAppSecretRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// Until when the secret before stays good: at most 30 days from now.
    public var oldExpireTimeMs: Int64?
    /// The secret to take: 32 to 128 visible characters of ASCII; empty lets the server make one.
    public var secret = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RotateAppSecretRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "old_expire_time_ms", &oldExpireTimeMs)
        visitor.secret(4, "secret", &secret)
    }
}

/// The response of RotateAppSecret, whose `applied` says whether a new secret was made or taken.
public struct RotateAppSecretResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The new secret.
    public var secret = ""
    /// The secrets that are good now, the newest first, without the secret texts.
    public var secrets: [AppSecretDescription] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RotateAppSecretResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.secret(4, "secret", &secret)
        visitor.field(5, "secrets", &secrets)
        write.visitLast(&visitor)
    }
}

/// The request of ImportAppSecret.
public struct ImportAppSecretRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The number of the app; never 0.
    public var appID: UInt32 = 0
    /// The secret: 32 to 128 visible characters of ASCII.
    public var secret = ""
    /// Until when the secret before stays good: at most 30 days from now.
    public var oldExpireTimeMs: Int64?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportAppSecretRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "app_id", &appID)
        visitor.secret(4, "secret", &secret)
        visitor.field(5, "old_expire_time_ms", &oldExpireTimeMs)
    }
}

/// The response of ImportAppSecret, whose `applied` says whether the secret is new.
public struct ImportAppSecretResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The secrets that are good now, the newest first, without the secret texts.
    public var secrets: [AppSecretDescription] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportAppSecretResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "secrets", &secrets)
        write.visitLast(&visitor)
    }
}
