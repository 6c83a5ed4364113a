package import Protobuf

/// The answer to a write, as the codec sees it: it visits ``WriteAnswer/write`` first.
package protocol WriteResponse: CodedMessage, WriteAnswer {}
