public import Foundation

/// Reading in pieces as they come: every provider that reads can, so this is another name for it.
public typealias FileProviderReadWriteProgressive = FileProviderReadWrite

extension FileProviderReadWrite {
    /// Reads the file at `path`, or a part of it, in pieces as they come; the storage waits while a handler works.
    ///
    /// The handlers run one after the other on the queue of the completion handlers.
    ///
    /// - Parameters:
    ///   - length: Bytes; −1 for all up to the end.
    ///   - responseHandler: Called before the first piece, with what is known of the file.
    ///   - progressHandler: Called for each piece with its offset in the file.
    @discardableResult
    public func contents(
        path: String, offset: Int64 = 0, length: Int = -1,
        responseHandler: (@Sendable (_ response: FileReaderAttributes) -> Void)? = nil,
        progressHandler: @escaping @Sendable (_ position: Int64, _ data: Data) -> Void,
        completionHandler: SimpleCompletionHandler
    ) -> Progress? {
        CompletionForm.start(.fetch(path: path), of: self, kind: .downloading, unitCount: 0) { progress in
            try await self.withReader(path: ProviderPath(path)) { reader in
                var position = max(0, offset)
                var hasResponded = false
                for try await piece in reader.bytes(.covering(offset: offset, length: length)) {
                    if !hasResponded {
                        hasResponded = true
                        try await Self.respond(
                            reader, offset: position, length: length, progress: progress, responseHandler)
                    }
                    let start = position
                    await CompletionForm.onQueue { progressHandler(start, piece) }
                    position += Int64(piece.count)
                    progress.advance(by: Int64(piece.count))
                    try Task.checkCancellation()
                }
                if !hasResponded {
                    try await Self.respond(
                        reader, offset: position, length: length, progress: progress, responseHandler)
                }
            }
        } completion: {
            completionHandler?($0.failure)
        }
    }

    /// Once a read has answered, what is known of the file costs nothing more.
    private static func respond(
        _ reader: any FileReader, offset: Int64, length: Int, progress: ProgressReporter,
        _ handler: (@Sendable (FileReaderAttributes) -> Void)?
    ) async throws {
        let attributes = try await reader.attributes()
        progress.expect(Int64(FilePart.covering(offset: offset, length: length).resolved(size: attributes.size).count))
        if let handler { await CompletionForm.onQueue { handler(attributes) } }
    }
}

extension FilePart {
    /// The part from `offset` on, `length` bytes long; −1 for all up to the end.
    static func covering(offset: Int64, length: Int) -> FilePart {
        length < 0 ? .from(offset) : .range(offset..<(offset + min(Int64(length), .max - max(0, offset))))
    }
}
