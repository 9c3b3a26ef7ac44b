import FileProviderCore
public import Foundation
import ReaderMessages

extension PlainFolderDriver {
    /// Fetches books into the local folder `folder`, under safe names that are made from the books' own and are free
    /// there.
    ///
    /// - Returns: For each book, in order, its file or the error. A failed book doesn't hold up the others, unless the
    ///   driver was ejected, the task was cancelled, or the storage fails twice in a row.
    public func fetchForImport(
        _ books: [LibraryBook], into folder: URL, progress: @escaping DriverProgress = { _ in }
    ) async -> [Result<URL, any Error>] {
        var names = SafeNames(in: folder)
        var results: [Result<URL, any Error>] = []
        var failures = 0
        for (index, book) in books.enumerated() {
            let url = await names.url(for: book)
            do {
                try Task.checkCancellation()
                try await read(book.filename, to: url)
                results.append(.success(url))
                failures = 0
            } catch {
                results.append(.failure(error))
                failures = error.isTransient ? failures + 1 : 0
                // The other books would fail in the same way.
                let endsAll = failures > 1 || error.isCancellation || (error as? PlainFolderError)?.kind == .ejected
                if endsAll { return results + books[(index + 1)...].map { _ in .failure(error) } }
            }
            progress(Double(index + 1) / Double(books.count))
        }
        return results
    }
}
