package import Foundation
import SampleBooks

/// Looks in files for what must not be kept there: the text of protected books.
package struct PlainTextScan: Sendable {
    /// How much of a deflated resource is looked for.
    private static let deflatedCount = 64
    private let signs: [Data]

    /// - Parameters:
    ///   - marker: A word that all parts of the resources have.
    ///   - resources: The plain bytes of the resources. The starts of their raw deflate form are looked for, too.
    package init(marker: String, resources: [Data]) {
        signs = [Data(marker.utf8)] + resources.map { Data(Deflate.pack($0).prefix(Self.deflatedCount)) }
    }

    /// Returns the sorted paths of the files below `folder`, hidden ones among them.
    package func files(in folder: URL) throws -> [String] {
        let path = folder.path(percentEncoded: false)
        return try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
            let file = folder.appending(path: name).path(percentEncoded: false)
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            return attributes[.type] as? FileAttributeType == .typeRegular
        }.sorted()
    }

    /// Returns the sorted paths of the files below `folder` that have something of the text in them.
    package func findings(in folder: URL) throws -> [String] {
        try files(in: folder).filter { name in
            let data = try Data(contentsOf: folder.appending(path: name))
            return signs.contains { data.range(of: $0) != nil }
        }
    }
}
