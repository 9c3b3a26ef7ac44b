import FileProviderCore
import Foundation

/// PDF by Poppler's programs, each run as a ``ChildProcess``: its licence forbids linking, and its past advises a wall.
struct PDFTools: Sendable {
    /// Folders to look for the programs in, with colons between.
    var searchPath = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    var limits = ChildProcess.Limits()

    /// - Throws: `CocoaError(.featureUnsupported)` with `ENOENT` below it when `pdfinfo` is not installed; `.fileReadCorruptFile`,
    ///   `.fileReadTooLarge`, and `.fileReadNoPermission` for a file that is locked with a password.
    /// - Complexity: The whole file, to a temporary one.
    func properties(_ reader: any FileReader) async throws -> FileProperties {
        let outcome = try await run("pdfinfo", ["-isodates", "-enc", "UTF-8", "/dev/fd/3"], on: reader)
        return PDFInfoText(String(decoding: outcome.output, as: UTF8.self)).properties
    }

    /// A page as a picture whose longer side is exactly as long as wanted: pages have no pixels of their own.
    ///
    /// - Throws: As ``properties(_:)``; `CocoaError(.fileReadNoSuchFile)` for a page that is not there.
    /// - Complexity: The whole file, to a temporary one.
    func thumbnail(_ reader: any FileReader, _ request: ThumbnailRequest) async throws -> Thumbnail {
        let page = "\(request.page)"
        guard request.page > 0 else { throw noPage(request.page, reader.path) }
        let outcome = try await run(
            "pdftoppm",
            [
                "-f", page, "-l", page, "-singlefile", "-scale-to", "\(request.dimension)", "-jpeg", "-jpegopt", "quality=85", "/dev/fd/3",
            ], on: reader, page: request.page)
        do {
            let header = try await ImageHeader(DataReader(outcome.output, path: reader.path))
            return Thumbnail(data: outcome.output, mediaType: header.format.rawValue, width: header.width, height: header.height)
        } catch {
            throw reader.damaged("no picture came of page \(page)")
        }
    }

    private func run(
        _ tool: String, _ arguments: [String], on reader: any FileReader, page: Int = 1
    ) async throws -> ChildProcess.Outcome {
        let child = ChildProcess(path: try find(tool, for: reader.path), limits: limits)
        let file = try await temporaryCopy(of: reader)
        let path = reader.path
        let outcome = try await InformationThreads.children.run { flag in
            try child.run(arguments, input: file, flag: flag, file: path)
        }
        if outcome.exitCode == 0 { return outcome }
        if outcome.errors.contains("Wrong page range") { throw noPage(page, path) }
        if outcome.errors.contains("Incorrect password") {
            throw FileError.make(.fileReadNoPermission, path: path, sentence: "“\(path)” is locked with a password.")
        }
        let said = outcome.errors.split(separator: "\n").first.map { ": \($0.prefix(200))" } ?? ""
        throw reader.damaged("\(tool) cannot read it\(said)")
    }

    private func noPage(_ page: Int, _ path: ProviderPath) -> CocoaError {
        FileError.make(.fileReadNoSuchFile, path: path, sentence: "“\(path)” has no page \(page).")
    }

    private func find(_ tool: String, for path: ProviderPath) throws -> String {
        let found = searchPath.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(tool)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        if let found { return found }
        throw FileError.make(
            .featureUnsupported, path: path,
            sentence: "“\(path)” is a PDF file, and \(tool), which reads those, is not installed; Debian has it in poppler-utils.",
            underlying: POSIXError(.ENOENT))
    }

    /// The file without a name in the folder for temporary files: Poppler goes back and forth in it.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over 256 MiB; errors of the reader and of the disk.
    private func temporaryCopy(of reader: any FileReader) async throws -> FileDescriptor {
        let most = InformationLimits.documentBytes
        let size = try await reader.attributes().size
        guard size <= most else { throw reader.tooLarge("it has \(size) bytes; at most \(most) are copied to read a PDF file") }
        let name = FileManager.default.temporaryDirectory.appending(path: "carrel-\(UInt64.random(in: 0 ... .max)).pdf").path
        let file = try await BlockingThreads.shared.run {
            let file = try FileDescriptor(path: name, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            unlink(name)
            return file
        }
        // A file that grows meanwhile, or whose server does not tell its size, ends here.
        let came = try await reader.stream(.range(0..<most + 1), into: FileSink(file, path: reader.path))
        guard came.count <= most else { throw reader.tooLarge("more than \(most) bytes came") }
        return file
    }
}
