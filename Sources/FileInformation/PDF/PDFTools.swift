import FileProviderCore
import Foundation
import Publication

/// Reads PDF with Poppler's programs, each run as a ``ChildProcess``: its licence forbids linking, and its past
/// security flaws call for isolation.
struct PDFTools: Sendable {
    /// The folders to search for the programs, separated by colons.
    var searchPath = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    var limits = ChildProcess.Limits()

    /// - Throws: `CocoaError(.featureUnsupported)` with an underlying `ENOENT` if `pdfinfo` is not installed;
    ///   `.fileReadCorruptFile`, `.fileReadTooLarge`, and `.fileReadNoPermission` for a file that is locked with a
    ///   password.
    /// - Complexity: Copies the whole file to a temporary one.
    func properties(_ reader: any FileReader) async throws -> FileProperties {
        let child = try child("pdfinfo", for: reader.path)
        let file = try await temporaryCopy(of: reader)
        let outcome = try await run(child, ["-isodates", "-enc", "UTF-8", "/dev/fd/3"], on: file, path: reader.path)
        return PDFInfoText(String(decoding: outcome.output, as: UTF8.self)).properties
    }

    /// Returns a page as a picture whose longer side is exactly as long as requested, because pages have no size in
    /// pixels.
    ///
    /// - Throws: As ``properties(_:)``; `CocoaError(.fileReadNoSuchFile)` if there is no such page.
    /// - Complexity: Copies the objects of the page to a file in memory (see `PDFDocument.writePage`). Without the
    ///   package trait `Formats`, and for a damaged local file, copies the whole file.
    func thumbnail(_ reader: any FileReader, _ request: ThumbnailRequest) async throws -> Thumbnail {
        guard request.page > 0 else { throw noPage(request.page, path: reader.path) }
        guard PDFDocument.isSupported else { return try await thumbnailOfCopy(reader, request: request) }
        do {
            return try await picture(
                ofPage: request.page, of: FileFetcher(reader).resource, path: reader.path, request.dimension)
        } catch let error as CocoaError where error.code == .fileReadCorruptFile && reader.cost.roundTripsPerRange == 0
        {
            // Poppler can read some files that qpdf cannot.
            return try await thumbnailOfCopy(reader, request: request)
        }
    }

    /// Returns a page of the document in `resource` as a picture.
    ///
    /// - Parameter path: The file's path, for messages.
    /// - Throws: As ``thumbnail(_:_:)``.
    func picture(ofPage page: Int, of resource: any Resource, path: ProviderPath, _ dimension: Int) async throws
        -> Thumbnail
    {
        guard page > 0 else { throw noPage(page, path: path) }
        let child = try child("pdftoppm", for: path)
        let file = try PopplerTool.pageFile()
        try await PDFDocument.writePage(page - 1, of: resource) { try file.write($0, path: path) }
        return try await draw(1, of: file, with: child, dimension, path: path)
    }

    private func thumbnailOfCopy(_ reader: any FileReader, request: ThumbnailRequest) async throws -> Thumbnail {
        let child = try child("pdftoppm", for: reader.path)
        return try await draw(
            request.page, of: try await temporaryCopy(of: reader), with: child, request.dimension, path: reader.path)
    }

    private func draw(
        _ page: Int, of file: FileDescriptor, with child: ChildProcess, _ dimension: Int, path: ProviderPath
    ) async throws -> Thumbnail {
        let arguments = [
            "-f", "\(page)", "-l", "\(page)", "-singlefile", "-scale-to", "\(dimension)", "-jpeg", "-jpegopt",
            "quality=85", "/dev/fd/3",
        ]
        let picture = try await run(child, arguments, on: file, path: path, page: page).output
        do {
            let header = try await ImageHeader(DataReader(picture, path: path))
            return Thumbnail(
                data: picture, mediaType: header.format.rawValue, width: header.width, height: header.height)
        } catch {
            throw damaged(path, "page \(page) could not be drawn")
        }
    }

    private func run(
        _ child: ChildProcess, _ arguments: [String], on file: FileDescriptor, path: ProviderPath, page: Int = 1
    ) async throws -> ChildProcess.Outcome {
        let outcome = try await PopplerTool.threads.run { flag in
            try child.run(arguments, input: file, flag: flag, file: path)
        }
        if outcome.exitCode == 0 { return outcome }
        if outcome.errors.contains("Wrong page range") { throw noPage(page, path: path) }
        if outcome.errors.contains("Incorrect password") {
            throw FileError.make(.fileReadNoPermission, path: path, sentence: "“\(path)” is locked with a password.")
        }
        let said = outcome.errors.split(separator: "\n").first.map { ": \($0.prefix(200))" } ?? ""
        throw damaged(path, "\(child.path.split(separator: "/").last ?? "") cannot read it\(said)")
    }

    private func damaged(_ path: ProviderPath, _ why: String) -> CocoaError {
        FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” is damaged: \(why).")
    }

    private func noPage(_ page: Int, path: ProviderPath) -> CocoaError {
        FileError.make(.fileReadNoSuchFile, path: path, sentence: "“\(path)” has no page \(page).")
    }

    private func child(_ tool: String, for path: ProviderPath) throws -> ChildProcess {
        ChildProcess(path: try PopplerTool.find(tool, in: searchPath, for: path), limits: limits)
    }

    /// Copies the file to an unnamed one in the folder for temporary files, because Poppler seeks in it.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over 256 MiB; errors of the reader and of the disk.
    private func temporaryCopy(of reader: any FileReader) async throws -> FileDescriptor {
        let maxBytes = InformationLimits.documentBytes
        let size = try await reader.attributes().size
        guard size <= maxBytes else {
            throw reader.tooLarge("it has \(size) bytes; at most \(maxBytes) can be read of a PDF file")
        }
        let file = try await PopplerTool.temporaryFile()
        // A file that grows meanwhile, or whose server does not tell its size, ends here.
        let came = try await reader.stream(.range(0..<maxBytes + 1), into: FileSink(file, path: reader.path))
        guard came.count <= maxBytes else { throw reader.tooLarge("it has more than \(maxBytes) bytes") }
        return file
    }
}
