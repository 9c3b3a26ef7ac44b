package import FileProviderCore
import Foundation

/// A storage that acknowledges every write and keeps what it likes of it.
package final class ForgetfulStorage: ForwardingProvider {
    package static let type = "Forgetful"
    package let underlying: any FileProvider

    /// What is kept of what is written.
    package enum Keeping: Sendable, CaseIterable {
        case everything, nothing, half, noFile
        /// Something of the same length or longer, which is new each time.
        case another
    }

    package let keeping: LockedValue<Keeping>
    /// Whether the answer to a write says what the file should be; else it says nothing.
    private let answers: Bool
    private let writes = LockedValue(0)

    package init(_ underlying: any FileProvider, keeping: Keeping, answers: Bool) {
        self.underlying = underlying
        self.keeping = LockedValue(keeping)
        self.answers = answers
    }

    package func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        let written = try await underlying.writeContents(path: path, from: source, options: options)
        let number = writes.update { writes in
            writes += 1
            return writes
        }
        let whole = try await underlying.contents(path: path)
        switch keeping.value {
        case .everything: return written
        case .nothing: try await underlying.writeContents(path: path, contents: Data(), overwrite: true)
        case .half:
            try await underlying.writeContents(path: path, contents: whole.prefix(whole.count / 2), overwrite: true)
        case .noFile: try await underlying.removeItem(path: path)
        case .another:
            try await underlying.writeContents(path: path, contents: Data("<\(number)>".utf8) + whole, overwrite: true)
        }
        return answers ? written : FileObject(path: path, type: .regular)
    }
}
