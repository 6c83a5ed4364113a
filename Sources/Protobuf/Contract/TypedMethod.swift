/// A call with its types, whose messages have codecs.
package protocol TypedMethod: ContractMethod
where Request: CodedMessage, Response: CodedMessage {}
