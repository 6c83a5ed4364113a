// A client needs one import: the messages and methods of the contract, the words that they are made
// of, and the protocol that messages share.
@_exported public import Protobuf
@_exported public import RelationAPI
@_exported public import RelationModel
