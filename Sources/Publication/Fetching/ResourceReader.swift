import FileProviderCore

/// A resource as a file, for code that reads files by ranges.
final class ResourceReader: FileReader {
    let path: ProviderPath
    let cost: Capabilities.ReadCost
    private let resource: any Resource

    /// - Parameter cost: The cost of range reads on the medium, which a resource doesn't report.
    init(_ resource: any Resource, cost: Capabilities.ReadCost = .request) {
        self.resource = resource
        self.cost = cost
        path = (try? ProviderPath(percentEncoded: resource.link.href)) ?? .root
    }

    func attributes() async throws -> FileReaderAttributes { FileReaderAttributes(size: try await resource.length()) }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let size = try await resource.length()
        let range = part.resolved(size: size)
        try await resource.stream(range, into: sink)
        return FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
    }

    func close() async { await resource.close() }
}
