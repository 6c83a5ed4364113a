package import Storage

/// Whether a list of rows goes on.
package typealias ScanStep = Storage.ScanStep
