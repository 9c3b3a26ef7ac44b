import Archives
public import FileProviderCore
import Foundation
import MediaTypes

/// Downloads the publications of licences, and puts licences into their packages.
///
/// A package is written in one pass: under a temporary name beside its own, which then takes its place in one step. A
/// failure, a cancellation or a crash leaves the file that was there before as it was.
///
/// ```swift
/// let packages = LicensePackage(trust: trust)
/// let path = try folder.appending(LicensePackage.suggestedName(for: license))
/// try await packages.acquire(license, to: path, of: provider)
/// ```
public struct LicensePackage: Sendable {
    let trust: LicenseTrust
    let registry: ProviderRegistry
    let connection: ConnectionOptions

    /// Creates the value without any request.
    ///
    /// - Parameters:
    ///   - trust: The certificates that licences must be signed under. The link of another licence is not followed, and
    ///     no other licence is written.
    ///   - registry: The providers for the licences' links.
    ///   - connection: Credentials, trust and the other policies of those providers.
    public init(
        trust: LicenseTrust, registry: ProviderRegistry = .shared, connection: ConnectionOptions = ConnectionOptions()
    ) {
        self.trust = trust
        self.registry = registry
        self.connection = connection
    }

    /// Returns the licence in the package at `path`, or the licence that the file is. It is not validated.
    ///
    /// - Throws: ``LCPProblem`` of the kinds `damagedPackage` for a file that is neither, and `invalidLicense`; errors of
    ///   the storage.
    /// - Complexity: One or two requests.
    public static func license(at path: ProviderPath, of provider: any FileProviderReadWrite) async throws
        -> LicenseDocument
    {
        try await provider.withReader(path: path) { try await found(in: CachedFileReader($0)).license }
    }

    /// Replaces the licence in the package at `path`, or the licence that the file is, with a newer one of the same id.
    ///
    /// If the file has this very licence, nothing is written. On a storage that has tags, a file that changes meanwhile
    /// is not overwritten.
    ///
    /// - Parameter progress: Counts the bytes that are written.
    /// - Returns: The attributes of the file.
    /// - Throws: ``LCPProblem`` of the kinds `damagedPackage` for a file that has no licence, and `invalidLicense` for a
    ///   licence with another id or an older one; those of ``LicenseTrust/validate(_:)``; errors of the storage, as of
    ///   ``/FileProviderCore/FileProviderReadWrite/writeContents(path:from:options:)``.
    /// - Complexity: Reads and writes the whole package once; holds its directory in memory, at most 64 MiB.
    @discardableResult
    public func replaceLicense(
        in path: ProviderPath, of provider: any FileProvider, with license: LicenseDocument,
        progress: ProgressReporter = ProgressReporter()
    ) async throws -> FileObject {
        try await trust.validate(license)
        let item = try await provider.attributesOfItem(path: path)
        return try await provider.withReader(path: path) { reader in
            guard let source = try await Self.replacement(in: reader, with: license) else { return item }
            var options = WriteOptions(overwrite: true)
            // A weak tag never matches (RFC 9110, section 13.1.1).
            if item.isRegularFile, let tag = item.entryTag, !tag.hasPrefix("W/") { options.ifMatch = tag }
            return try await provider.writeContents(path: path, from: source, options: options, progress: progress)
        }
    }

    /// A licence, and where it is in its package; without an entry it is the whole file.
    private struct FoundLicense {
        let license: LicenseDocument
        var entry: ZIPEntry?
    }

    private static func found(in reader: CachedFileReader) async throws -> FoundLicense {
        // All of a usual licence, and the directory of a usual package.
        let size = try await reader.tail(ZIPArchive.tailLength).extent.size
        if size <= Int64(LicenseDocument.largest) {
            let data = try await reader.read([0..<size])[0]
            if data.isJSONObject { return FoundLicense(license: try LicenseDocument(data: data)) }
        }
        do {
            let archive = try await ZIPArchive.open(reader)
            if let place = LicensePlace.path(in: archive.directory), let entry = archive.directory.entry(at: place),
                entry.uncompressedSize <= Int64(LicenseDocument.largest)
            {
                let license = try LicenseDocument(data: try await archive.read(entry))
                return FoundLicense(license: license, entry: entry)
            }
        } catch let error as CocoaError where error.isDamage {
            throw LCPProblem(.damagedPackage, underlying: error)
        }
        throw LCPProblem(
            .damagedPackage, sentence: "“\(reader.path)” is neither a licence nor a package with one.")
    }

    /// Returns the file with `license`; nil if it has this very licence.
    private static func replacement(in reader: any FileReader, with license: LicenseDocument) async throws
        -> (any WriteSource)?
    {
        let cached = CachedFileReader(reader)
        let found = try await found(in: cached)
        let old = found.license
        if old.data == license.data { return nil }
        guard old.id == license.id else {
            throw LCPProblem(
                .invalidLicense,
                sentence:
                    "“\(reader.path)” has the licence \(old.id); it was not replaced with \(license.id), another one.")
        }
        guard old.date <= license.date else {
            throw LCPProblem(
                .invalidLicense,
                sentence: "“\(reader.path)” has a newer licence than the given one; it was not replaced.")
        }
        guard let entry = found.entry else { return DataSource(license.data) }
        let appender = try await ZIPAppender(reader, cachedBy: cached)
        return try await appender.adding(license.data, at: entry.path, date: license.date)
    }
}

/// The names of licences in packages (LCP 1.0, section 2.4).
enum LicensePlace {
    private static let epub = "META-INF/license.lcpl"
    private static let other = "license.lcpl"

    /// Returns where the licence of a package has to be; nil for an archive that is not a package.
    ///
    /// The content decides, because servers send wrong types; `type` decides only if the archive is two packages in one.
    ///
    /// - Parameter type: The media type that the package is said to have.
    static func path(in directory: ZIPDirectory, type: String? = nil) -> String? {
        let isEPUB = directory.entry(at: "META-INF/container.xml") != nil
        let isReadium = directory.entry(at: "manifest.json") != nil
        guard isEPUB, isReadium else { return isEPUB ? epub : isReadium ? other : nil }
        guard let type = type.flatMap({ MediaType($0) }), type.isZIP, !MediaType.zip.contains(type) else { return epub }
        return MediaType.epub.contains(type) ? epub : other
    }
}

extension CocoaError {
    /// Whether a file is not what it should be: no archive, damaged, in parts, or over a limit.
    var isDamage: Bool { [.fileReadCorruptFile, .fileReadTooLarge, .featureUnsupported].contains(code) }
}

extension Data {
    /// Whether the first byte that is not white space begins an object.
    fileprivate var isJSONObject: Bool {
        first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    }
}
