import FileProviderCore
import Foundation
import Publication

/// The publication that a licence links to, read by ranges where it lies.
struct LinkedPublication: Sendable {
    let registry: ProviderRegistry
    let connection: ConnectionOptions

    /// Opens the package at the link `publication` of `license`. Nothing is downloaded.
    ///
    /// The link's length is compared with the file's. Its hash would need all bytes and is not checked; each resource is
    /// compared with the checksum in the package when it is read as a whole.
    ///
    /// - Throws: ``LCPProblem`` of the kinds `noPublicationLink`, `damagedDownload` for a file of another length, and
    ///   `damagedPackage` for one that is no package; errors of the storage.
    func asset(of license: LicenseDocument, remote: any Fetcher) async throws -> PublicationAsset {
        let link = try PublicationLink(of: license, readsHash: false)
        let location = try await registry.location(of: link.url, options: connection)
        let found: (asset: PublicationAsset, length: Int64)
        do {
            found = try await PublicationAsset.openPackage(
                at: location, mediaTypes: [link.type].compactMap(\.self), remote: remote)
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            throw LCPProblem(
                .damagedPackage,
                sentence: "“\(link.name)” is not the publication that the licence belongs to: it is not a package.",
                underlying: error)
        }
        if let length = link.length, length != found.length {
            await found.asset.fetcher.close()
            throw LCPProblem(
                .damagedDownload,
                sentence:
                    "“\(link.name)” is \(found.length) bytes long and not \(length), as the licence says; it was replaced or damaged."
            )
        }
        return found.asset
    }
}
