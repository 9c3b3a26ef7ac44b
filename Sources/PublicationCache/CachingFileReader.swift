package import FileProviderCore
import Publication

/// A file that is read through a cache on this machine, in blocks.
///
/// The storage is asked once for the version of the file. Blocks of that version come from the cache if it has them, and
/// are stored if it doesn't. Stored blocks are not served while the storage is unavailable, or if it can't tell versions
/// apart.
package final class CachingFileReader: FileReader {
    private let base: any FileReader
    private let fetcher: CachingFetcher
    private let resource: any Resource

    /// Takes ownership of `base`, which is closed with this reader.
    ///
    /// - Parameter scope: Identifies the file in the cache, such as its URL.
    package init(_ base: any FileReader, cache: ResourceCache, scope: String) {
        let file = FileFetcher(base)
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
        switch part {
        // The first read also reports the size.
        case .whole: try await resource.stream(nil, into: sink)
        case .range(let range): try await resource.stream(range, into: sink)
        case .from, .suffix: try await resource.stream(part.resolved(size: attributes().size), into: sink)
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
