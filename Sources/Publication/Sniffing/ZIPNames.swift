import Archives
import FileProviderCore
import Foundation
import SafeXML

/// Decides the encoding of names in a ZIP archive that declare none and are not UTF-8 (APPNOTE.TXT, appendix D).
///
/// The addresses in a book's own package take precedence, then the caller's encoding, then the one in which the names
/// make most sense, in the end code page 437.
struct ZIPNames {
    /// The most packages that are read, bytes of one, addresses that are compared, and names.
    private static let maxPackages = 2
    private static let maxPackageSize: Int64 = 8 << 20
    private static let maxAddresses = 10_000

    /// The manifests of Readium's and the W3C's packages.
    private static let manifests: Set<String> = ["manifest.json", "publication.json"]

    private let archive: ZIPArchive
    private let names: [[UInt8]]

    /// Returns `archive` with decoded names.
    ///
    /// - Parameter assumed: The caller's encoding; ignored if this system does not know it.
    /// - Complexity: Nothing is read if all names declare their encoding; else the package document, if there is one.
    static func decide(_ archive: ZIPArchive, assuming assumed: String?) async throws -> ZIPArchive {
        let names = archive.directory.undecidedNames
        guard !names.isEmpty else { return archive }
        let assumed = assumed.flatMap(NameEncoding.init(named:))
        let decoded = try await ZIPNames(archive: archive, names: names).encodingByAddresses(first: assumed)
        if let decoded { return archive.readingUndecidedNames(as: decoded.encoding, addresses: decoded.paths) }
        return archive.readingUndecidedNames(as: assumed ?? NameEncodingGuess(names).encoding())
    }

    /// Returns the encoding in which most of the book's own addresses lead to a name, and the decoded paths; nil if
    /// none does.
    private func encodingByAddresses(first assumed: NameEncoding?) async throws -> (
        encoding: NameEncoding, paths: Set<String>
    )? {
        let packages = archive.directory.entries.filter {
            ($0.path.lowercased().hasSuffix(".opf") || Self.manifests.contains($0.path))
                && $0.uncompressedSize <= Self.maxPackageSize
        }
        var best: (encoding: NameEncoding, paths: Set<String>)?
        var highest = 0
        let considered = names.prefix(Self.maxAddresses)
        for package in packages.prefix(Self.maxPackages) {
            let addresses = try await addresses(in: package)
            for encoding in addresses.isEmpty
                ? [] : [assumed].compactMap(\.self) + NameEncoding.known + NameEncoding.rare
            {
                // All names match already.
                if highest == considered.count { break }
                guard let decoder = NameDecoder(encoding) else { continue }
                let paths = paths(of: addresses, in: package, decoder)
                let texts = considered.lazy.compactMap { decoder.text(of: $0) }
                let count = texts.compactMap { EntryName.confined($0) }.count { paths.contains($0) }
                if count > highest { (best, highest) = ((encoding, paths), count) }
            }
        }
        return best
    }

    /// The addresses in the manifest of a package, as written, that are not plain ASCII.
    private func addresses(in package: ZIPEntry) async throws -> [String] {
        let data = try await ContentErrors.passOver { try await archive.read(package) }
        guard let data else { return [] }
        let addresses: [String]
        if Self.manifests.contains(package.path) {
            addresses = JSONValue(lenient: data, maximumSize: Int(Self.maxPackageSize)).map(Self.strings) ?? []
        } else {
            let document = ForgivingXML(href: package.path, limits: XMLLimits(), warnings: WarningLog())
            addresses = ((try? document.root(of: data))?.descendants("item") ?? []).compactMap { $0.attribute("href") }
        }
        let telling = addresses.lazy.filter { address in address.utf8.contains { $0 >= 0x80 || $0 == UInt8(ascii: "%") }
        }
        return Array(telling.prefix(Self.maxAddresses))
    }

    /// Returns all strings in a manifest: those that are not addresses match no name.
    private static func strings(in json: JSONValue) -> [String] {
        var (rest, found) = ([json], [String]())
        while let value = rest.popLast() {
            if let text = value.stringValue { found.append(text) }
            rest += value.arrayValue ?? value.objectValue.map { Array($0.values) } ?? []
        }
        return found
    }

    /// Returns the paths that the addresses mean if the package's own name is in the decoder's encoding.
    private func paths(of addresses: [String], in package: ZIPEntry, _ decoder: NameDecoder) -> Set<String> {
        let path =
            package.undecidedName.flatMap { decoder.text(of: $0) }.flatMap { EntryName.confined($0) } ?? package.path
        let folder = HREFBase.folder(of: HREF.encode(path))
        return Set(
            addresses.lazy.compactMap { folder.resolve($0) }.map { HREF.decoded(HREFBase.resource(of: $0)[...]) })
    }
}
