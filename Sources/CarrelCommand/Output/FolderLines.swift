import Carrel
import Foundation

/// The lines of one folder, and the names that its listing left out.
struct FolderLines: Sendable {
    var lines: ListedLines
    var leftOut: ShownLeftOut?
}

extension Operand {
    /// Returns the lines of the folder at `path`; `put` appends each of them.
    ///
    /// - Throws: The errors of a listing, except for items that no path can name.
    func lines(
        at path: ProviderPath, _ order: ListedLines.Order = .name,
        put: @escaping @Sendable (FileObject, inout [UInt8]) -> Void
    ) async throws -> FolderLines {
        let held = LockedValue(ListedLines(order))
        do {
            try await provider.contentsOfDirectory(path: path) { page in
                held.update { lines in
                    for item in page { lines.add(item) { put(item, &$0) } }
                }
            }
        } catch {
            guard let names = error.unusableNames else { throw error }
            return FolderLines(lines: held.value, leftOut: ShownLeftOut(path, names: names, error: error))
        }
        return FolderLines(lines: held.value)
    }
}

/// The names that a listing left out because no path can hold them, in the contract's JSON.
struct ShownLeftOut: Encodable, Sendable {
    /// The folder.
    var path: String
    var leftOut: Int
    var firstLeftOut: String
    var message: String
    let error: any Error

    private enum CodingKeys: CodingKey { case path, leftOut, firstLeftOut, message }

    init(_ folder: ProviderPath, names: UnusableNames, error: any Error) {
        (path, leftOut, firstLeftOut) = (folder.string, names.count, names.first)
        (message, self.error) = (error.sentence, error)
    }
}
