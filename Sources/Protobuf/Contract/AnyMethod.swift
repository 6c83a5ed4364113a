import Memory

/// A call of the contract without its types, as a list of methods holds it.
package struct AnyMethod: Sendable {
    package let service: String
    package let name: String
    package let path: String
    package let access: Access
    package let audience: Audience
    package let shape: CallShape
    package let answers: [AnswerCode]
    package let limits: [RequestLimit]
    package let request: Schema
    package let response: Schema
    /// The call with its types.
    package let typed: any TypedMethod
    /// Encodes a request from its JSON.
    package let encodeRequest: @Sendable (_ json: String) throws(CodecError) -> [UInt8]
    /// Decodes a response to its JSON.
    package let decodeResponse: @Sendable (_ bytes: [UInt8]) throws(CodecError) -> String

    package init<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>
    ) {
        service = method.service
        name = method.name
        path = method.path
        access = method.access
        audience = method.audience
        shape = method.shape
        answers = method.answers
        limits = method.limits
        request = Request.schema
        response = Response.schema
        typed = method
        encodeRequest = { (json) throws(CodecError) in
            try Arena.temporary { (arena) throws(CodecError) in
                let message = try Request(json: json, arena)
                return try method.requestCoder.bytes(message, arena)
            }
        }
        decodeResponse = { (bytes) throws(CodecError) in
            try Arena.temporary { (arena) throws(CodecError) in
                try method.responseCoder.message(bytes, arena).json(arena)
            }
        }
    }
}
