public import Foundation

extension FileProviderReadWrite {
    /// Reads the file at `path`, or a part of it. Progress counts bytes.
    ///
    /// - Parameter length: Bytes; −1 for all up to the end.
    @discardableResult
    public func contents(
        path: String, offset: Int64 = 0, length: Int = -1,
        completionHandler: @escaping @Sendable (_ contents: Data?, _ error: (any Error)?) -> Void
    ) -> Progress? {
        CompletionForm.start(.fetch(path: path), of: self, kind: .downloading, unitCount: 0) { progress in
            try await self.withReader(path: ProviderPath(path)) { reader in
                let sink = DataSink(limit: Int(RangedFileReader.memoryLimit))
                _ = try await reader.stream(
                    .covering(offset: offset, length: length), into: TappedSink(sink, progress: progress))
                return sink.data
            }
        } completion: {
            completionHandler($0.value, $0.failure)
        }
    }

    /// Writes `contents` to `path`; nil makes an empty file. Progress counts bytes.
    ///
    /// - Parameter atomically: Whether others see the old file or the new one and never a part.
    @discardableResult
    public func writeContents(
        path: String, contents: Data?, atomically: Bool = true, overwrite: Bool = false,
        completionHandler: SimpleCompletionHandler
    ) -> Progress? {
        CompletionForm.start(.modify(path: path), of: self, kind: .uploading, unitCount: 0) { progress in
            try await self.writeContents(
                path: ProviderPath(path), from: DataSource(contents ?? Data()),
                options: WriteOptions(overwrite: overwrite, placement: atomically ? .published : .inPlace),
                progress: progress)
        } completion: {
            completionHandler?($0.failure)
        }
    }

    /// Adds `contents` at the end of the file at `path`, and creates the file if there is none. Progress counts bytes.
    ///
    /// If cancelled, it leaves what has arrived, as ``FileProviderAppending/append(path:from:createsFile:)`` says.
    @discardableResult
    public func appendContents(path: String, contents: Data, completionHandler: SimpleCompletionHandler) -> Progress? {
        CompletionForm.start(.modify(path: path), of: self, kind: .uploading, unitCount: 0) { progress in
            try await self.appendContents(path: ProviderPath(path), from: DataSource(contents), progress: progress)
        } completion: {
            completionHandler?($0.failure)
        }
    }
}
