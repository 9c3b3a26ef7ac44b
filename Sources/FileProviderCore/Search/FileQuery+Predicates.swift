public import Foundation
import Synchronization

extension FileQuery {
    /// Evaluates `predicate` for each item with ``FileObject/mapPredicate()``: a block predicate, or several combined.
    ///
    /// `NSPredicate` is not thread-safe, so the query takes it over and evaluates it under a lock.
    public init(predicate: sending NSPredicate) {
        let box = PredicateBox(predicate)
        self = .test(FileTest("BLOCKPREDICATE") { box.evaluate($0) })
    }

    /// Evaluates a predicate of the macro `#Predicate<FileObject>` for each item; its errors end the search.
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
