import Archives
import FileProviderCore
import Foundation
import SafeXML

extension PublicationAsset {
    /// The file's name, for sentences.
    var displayName: String { path.isRoot ? nameWithoutExtension : path.name }

    /// Returns the error for a file of a known format that is too damaged to be read.
    func damaged(_ reason: String, cause: (any Error)? = nil) -> CocoaError {
        FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(displayName)” \(reason)", underlying: cause)
    }

    /// The error for a file that should be an archive and is not.
    var isNoArchive: CocoaError { damaged("is damaged: it is not a readable archive.") }
}

extension Error {
    /// The sentence without its full stop, as the start of a longer one.
    var clause: String { sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence }
}

extension Fetcher {
    /// Returns the bytes of the small document at `href`.
    ///
    /// - Parameter limit: The most bytes that are accepted.
    /// - Throws: `CocoaError(.fileReadTooLarge)` over the limit; the fetcher's errors.
    func data(_ href: String, limit: Int) async throws -> Data {
        let resource = get(href)
        let sink = DataSink(limit: limit)
        do {
            try await resource.stream(nil, into: sink)
        } catch {
            await resource.close()
            throw error
        }
        await resource.close()
        return sink.data
    }

    /// Returns the bytes of the small document at `href`; nil if it does not exist.
    func dataIfPresent(_ href: String, limit: Int) async throws -> Data? {
        do { return try await data(href, limit: limit) } catch  where error.isNoSuchFile { return nil }
    }
}

extension Fetcher {
    /// Returns the XML document at `href`, which need not be well-formed.
    ///
    /// - Parameter warnings: Receives a warning for each fault.
    /// - Throws: As ``ForgivingXML/root(of:)``; the fetcher's errors.
    func xml(_ href: String, limits: XMLLimits, warnings: WarningLog) async throws -> XMLElement {
        let data = try await data(href, limit: limits.bytes)
        return try ForgivingXML(href: href, limits: limits, warnings: warnings).root(of: data)
    }

    /// Returns the XML document at `href`.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if it is not well-formed, `.fileReadTooLarge` over a limit, both
    ///   with a sentence that names it; the fetcher's errors.
    func xml(_ href: String, limits: XMLLimits) async throws -> XMLElement {
        let data = try await data(href, limit: limits.bytes)
        do {
            return try XMLElement.parse(data, limits: limits)
        } catch let error as CocoaError {
            throw FileError.make(error.code, path: href, sentence: "“\(href)”: \(error.sentence)", underlying: error)
        }
    }
}

extension JSONValue {
    /// Reads the manifest in `data`, up to ``Manifest/defaultMaximumSize``. Comments and surplus commas cause a
    /// warning.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` or `.fileReadTooLarge`, which name `asset` and the document in it.
    init(manifest data: Data, named name: String, of asset: PublicationAsset, _ warnings: WarningLog) throws {
        do {
            try self.init(data: data, maximumSize: Manifest.defaultMaximumSize)
        } catch let error as CocoaError {
            if let value = JSONValue(lenient: data, maximumSize: Manifest.defaultMaximumSize) {
                let sentence = "“\(name)” is not quite JSON; its comments and surplus commas were ignored."
                warnings.warn("malformed-manifest", severity: .minor, message: sentence)
                self = value
                return
            }
            let sentence = name == asset.displayName ? error.sentence : "its “\(name)”: \(error.sentence)"
            throw FileError.make(
                error.code, path: asset.path, sentence: "“\(asset.displayName)”: \(sentence)", underlying: error)
        }
    }
}
