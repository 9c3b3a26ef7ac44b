public import Foundation
import Synchronization

extension FileQuery {
    /// Asks `predicate`, item by item, about ``FileObject/mapPredicate()``: a predicate of a block, or several
    /// combined.
    ///
    /// `NSPredicate` may not be used by two threads at once, so it is handed over for good and asked under a lock.
    public init(predicate: sending NSPredicate) {
        let box = PredicateBox(predicate)
        self = .test(FileTest("BLOCKPREDICATE") { box.evaluate($0) })
    }

    /// Asks a predicate of the macro `#Predicate<FileObject>`, item by item; its errors end the search.
    public init(_ predicate: Predicate<FileObject>) {
        self = .test(FileTest("#Predicate") { try predicate.evaluate($0) })
    }
}

/// A predicate that one thread at a time uses.
private final class PredicateBox: Sendable {
    private let predicate: Mutex<NSPredicate>

    init(_ predicate: sending NSPredicate) {
        self.predicate = Mutex(predicate)
    }

    func evaluate(_ object: FileObject) -> Bool {
        predicate.withLock { $0.evaluate(with: object.mapPredicate()) }
    }
}
