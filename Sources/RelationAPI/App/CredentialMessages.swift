public import Protobuf
public import RelationModel

// The messages about credentials in proto/relation/v1/app.proto, where every
// field is explained.

/// The request of CreateCredential.
public struct CreateCredentialRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The name of the credential, for people: at most 128 bytes; may be empty.
    public var name = ""
    /// The scopes of the credential: 1 to 4 different ones of SCOPE_READ, SCOPE_WRITE, SCOPE_WATCH
    /// and SCOPE_ADMIN.
    public var scopes: [Scope] = []
    /// Until when the credential is good; this must be in the future.
    ///
    /// 0 means for ever.
    public var expireTimeMs: Int64 = 0
    /// The SHA-256 of a client certificate's DER encoding: 32 bytes, or empty.
    ///
    /// If it is given, no key is made. A caller that proves in the TLS handshake that it owns the
    /// certificate has the credential. A certificate is no secret and may be registered with
    /// several apps. Such a caller therefore names its app in the metadata `x-app-id`.
    public var certificateSHA256: [UInt8] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        options: WriteOptions? = nil, name: String = "", scopes: [Scope] = [],
        expireTimeMs: Int64 = 0, certificateSHA256: [UInt8] = []
    ) {
        self.options = options
        self.name = name
        self.scopes = scopes
        self.expireTimeMs = expireTimeMs
        self.certificateSHA256 = certificateSHA256
    }
}

extension CreateCredentialRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateCredentialRequest", CreateCredentialRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "scopes", &scopes)
        visitor.field(5, "expire_time_ms", &expireTimeMs)
        visitor.field(6, "certificate_sha256", &certificateSHA256)
    }
}

/// The response of CreateCredential.
public struct CreateCredentialResponse: Message {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether the credential was made.
    ///
    /// False in a dry run.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The new credential.
    public var credential: Credential?
    /// The whole key, to send as `authorization: Bearer KEY`.
    ///
    /// It is answered here and never again: the server keeps only a digest of it, and a replayed
    /// answer has no key. Empty in a dry run, and for a client certificate.
    public var key = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        credential: Credential? = nil, key: String = ""
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.credential = credential
        self.key = key
    }
}

extension CreateCredentialResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateCredentialResponse", CreateCredentialResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "credential", &credential)
        visitor.secret(5, "key", &key)
    }
}

/// The request of ListCredentials.
public struct ListCredentialsRequest: Message {
    /// How the read is carried out.
    ///
    /// A `min_sequence` must name a user.
    public var options: ReadOptions?
    /// The most credentials to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another app or list is INVALID_ARGUMENT.
    public var pageToken = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil, pageSize: Int32 = 0, pageToken: String = "") {
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
    }
}

extension ListCredentialsRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListCredentialsRequest", ListCredentialsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

extension ListCredentialsRequest: PagedRequest {}

/// The response of ListCredentials.
public struct ListCredentialsResponse: Message {
    /// The credentials of this page.
    public var credentials: [Credential] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many credentials the app has: at most 100.
    public var totalSize: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(credentials: [Credential] = [], nextPageToken: String = "", totalSize: Int32 = 0) {
        self.credentials = credentials
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
    }
}

extension ListCredentialsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListCredentialsResponse", ListCredentialsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "credentials", &credentials)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

extension ListCredentialsResponse: PagedList {
    public var pageItems: [Credential] { credentials }
}

/// The request of RevokeCredential.
public struct RevokeCredentialRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The id of the credential.
    public var credentialID = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: WriteOptions? = nil, credentialID: String = "") {
        self.options = options
        self.credentialID = credentialID
    }
}

extension RevokeCredentialRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeCredentialRequest", RevokeCredentialRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "credential_id", &credentialID)
    }
}

/// The response of RevokeCredential.
public struct RevokeCredentialResponse: Message {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether the credential was ended.
    ///
    /// False in a dry run.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
    }
}

extension RevokeCredentialResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeCredentialResponse", RevokeCredentialResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
    }
}

/// The request of RotateAppSecret.
public struct RotateAppSecretRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// Until when the secret before stays good: at most 30 days from now.
    ///
    /// It must be given, because 0, like any time that has passed, ends it at once. Any older
    /// secret ends at once in any case.
    public var oldExpireTimeMs: Int64?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: WriteOptions? = nil, oldExpireTimeMs: Int64? = nil) {
        self.options = options
        self.oldExpireTimeMs = oldExpireTimeMs
    }
}

extension RotateAppSecretRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RotateAppSecretRequest", RotateAppSecretRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "old_expire_time_ms", &oldExpireTimeMs)
    }
}

/// The response of RotateAppSecret.
public struct RotateAppSecretResponse: Message {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether a new secret was made.
    ///
    /// False in a dry run.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The new secret.
    ///
    /// It is answered here and never again: a replayed answer has no secret. Empty in a dry run.
    public var secret = ""
    /// The secrets that are good now, the newest first, without the secret texts.
    public var secrets: [AppSecretDescription] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false, secret: String = "",
        secrets: [AppSecretDescription] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.secret = secret
        self.secrets = secrets
    }
}

extension RotateAppSecretResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RotateAppSecretResponse", RotateAppSecretResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.secret(4, "secret", &secret)
        visitor.field(5, "secrets", &secrets)
    }
}
