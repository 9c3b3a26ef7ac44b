package import FileProviderCore
import Foundation
import Publication

/// A file that is read through a cache on this machine, in blocks.
///
/// The storage is asked once for the version of the file. Blocks of that version come from the cache if it has them, and
/// are stored if it doesn't. Stored blocks are not served while the storage is unavailable, or if it can't tell versions
/// apart.
///
/// What a storage that knows no offsets refuses to read in blocks is read in one piece, past the cache.
package final class CachingFileReader: FileReader {
    private let base: any FileReader
    private let fetcher: CachingFetcher
    private let resource: any Resource

    /// Takes ownership of `base`, which is closed with this reader.
    ///
    /// - Parameter scope: Identifies the file in the cache, such as its URL. Only a digest of it is stored.
    package init(_ base: any FileReader, cache: ResourceCache, scope: String) {
        let file = FileFetcher(CertainReader(base))
        var policy = CachingPolicy(.firstAccess, servesOffline: false)
        policy.trustsLength = false
        fetcher = CachingFetcher(file, cache: cache, scope: scope, policy: policy)
        resource = fetcher.get(file.resource.link)
        self.base = base
    }

    package var path: ProviderPath { base.path }

    package var cost: Capabilities.ReadCost { base.cost }

    /// - Complexity: As the storage's reader. The cache is not asked.
    package func attributes() async throws -> FileReaderAttributes { try await base.attributes() }

    package func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let passed = TappedSink(sink)
        do {
            switch part {
            // The first read also reports the size.
            case .whole: try await resource.stream(nil, into: passed)
            case .range(let range): try await resource.stream(range, into: passed)
            case .from, .suffix: try await resource.stream(part.resolved(size: attributes().size), into: passed)
            }
        } catch let error as CocoaError where error.code == .featureUnsupported {
            if passed.isFull { try await sink.waitUntilReady() }
            _ = try await base.stream(part, into: RestSink(sink, after: passed.count, isBegun: passed.extent != nil))
        }
        let size = try await attributes().size
        let range = part.resolved(size: size)
        return FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
    }

    package func close() async {
        await resource.close()
        await fetcher.close()
    }
}

/// A file whose version has a tag only if no later version can get the same one.
private final class CertainReader: FileReader {
    private let base: any FileReader
    private let start = Date()

    init(_ base: any FileReader) { self.base = base }

    var path: ProviderPath { base.path }

    var cost: Capabilities.ReadCost { base.cost }

    func attributes() async throws -> FileReaderAttributes {
        var attributes = try await base.attributes()
        if !attributes.namesOneVersion(at: start) { attributes.validator = nil }
        return attributes
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        try await base.stream(part, into: sink)
    }

    func close() async { await base.close() }
}

/// Leaves out the first bytes, which the sink below has already.
private final class RestSink: ByteSink {
    private let base: any ByteSink
    private let known: LockedValue<Int64>
    private let isBegun: Bool

    /// - Parameter isBegun: Whether `base` has already received ``ByteSink/begin(_:)``.
    init(_ base: any ByteSink, after count: Int64, isBegun: Bool) {
        self.base = base
        self.isBegun = isBegun
        known = LockedValue(count)
    }

    func begin(_ extent: FileExtent) throws {
        if !isBegun { try base.begin(extent) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let size = Int64(bytes.count)
        let excess = known.update { known -> Int64 in
            let excess = min(known, size)
            known -= excess
            return excess
        }
        if excess == size { return .ready }
        return try base.write(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Int(excess))))
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}
