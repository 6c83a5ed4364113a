package import Storage

/// Which way a list of rows goes.
package typealias ScanOrder = Storage.ScanOrder

extension ScanOrder {
    package init(isDescending: Bool) {
        self = isDescending ? .descending : .ascending
    }
}
