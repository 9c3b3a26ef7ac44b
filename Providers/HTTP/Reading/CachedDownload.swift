import FileProviderCore
import Foundation

/// A download that uses the kept file if it still holds, and keeps the bytes it receives: small files, whole.
struct CachedDownload {
    private let download: Download
    private let responses: ResponseCache
    private let query: String

    init(_ download: Download, responses: ResponseCache, query: String) {
        self.download = download
        self.responses = responses
        self.query = query
    }

    func run() async throws -> (FileExtent, FileReaderAttributes) {
        let moment = await responses.moment()
        // A reader that has begun stays with the version it has.
        let kept = await responses.answer(download.path, query: query).flatMap { kept in
            download.version == nil || download.version == kept.head.validator ? kept : nil
        }
        if let kept, kept.isFresh { return try await give(kept) }
        let body = WholeBodyTap(limit: responses.maxSize)
        let recorded = download.into(TappedSink(download.sink, tap: body), condition: kept?.head.condition)
        do {
            let result = try await recorded.run()
            if let body = body.whole, let head = recorded.head {
                await responses.keep(body, head, download.path, query: query, since: moment)
            }
            return result
        } catch let error as NotModifiedError {
            guard let kept else { throw error }
            await responses.renew(kept, path: download.path, query: query, since: moment)
            return try await give(kept)
        }
    }

    private func give(_ kept: ResponseCache.Answer) async throws -> (FileExtent, FileReaderAttributes) {
        let size = Int64(kept.body.count)
        let range = download.part.resolved(size: size)
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
        try download.sink.begin(extent)
        if !range.isEmpty {
            try await download.sink.send(kept.body.dropFirst(Int(range.lowerBound)).prefix(range.count))
        }
        let attributes = FileReaderAttributes(
            size: size, validator: kept.head.validator, mimeType: kept.head.value("Content-Type"),
            redirectedTo: kept.head.redirectedTo,
            validatorDate: HTTPDate.ofVersion(
                entryTag: kept.head.entryTag, lastModified: kept.head.value("Last-Modified")))
        return (extent, attributes)
    }
}

/// Has all the bytes that passed in the end, where they are a whole file that is not too large.
private final class WholeBodyTap: CopyTap {
    private let limit: Int64
    private let state = LockedValue((expected: Int64(-1), bytes: Data()))

    init(limit: Int64) { self.limit = limit }

    /// The file; nil where it is too large, came in part, or its length was not told.
    var whole: Data? {
        let (expected, bytes) = state.value
        return expected == Int64(bytes.count) ? bytes : nil
    }

    func begin(_ extent: FileExtent) {
        let isWhole = extent.offset == 0 && extent.count == extent.size && (0...limit).contains(extent.size)
        state.update { $0.expected = isWhole ? extent.size : -1 }
    }

    func pass(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        state.update { state in
            if state.expected >= 0 { state.bytes.append(contentsOf: bytes) }
        }
        return .ready
    }
}
