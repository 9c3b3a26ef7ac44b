import FileProviderCore

/// A resource as a file, for what reads files by ranges.
final class ResourceReader: FileReader {
    let path: ProviderPath
    let cost: Capabilities.ReadCost
    private let resource: any Resource

    /// - Parameter cost: What ranges of the medium cost; a resource does not tell.
    init(_ resource: any Resource, cost: Capabilities.ReadCost = .request) {
        self.resource = resource
        self.cost = cost
        path = (try? ProviderPath(percentEncoded: resource.link.href)) ?? .root
    }

    func attributes() async throws -> FileReaderAttributes { FileReaderAttributes(size: try await size()) }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let size = try await size()
        let range = part.resolved(size: size)
        do throws(ResourceError) { try await resource.stream(range, into: sink) } catch { throw error.cause }
        return FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
    }

    private func size() async throws -> Int64 {
        do throws(ResourceError) { return try await resource.length() } catch { throw error.cause }
    }

    func close() async { await resource.close() }
}
