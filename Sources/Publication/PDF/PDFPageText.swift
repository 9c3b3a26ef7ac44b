import FileProviderCore
import Foundation

/// The text of a page of a PDF document, read by Poppler's `pdftotext`: its licence forbids linking, and its past
/// advises a wall.
enum PDFPageText {
    private static let limits = ChildProcess.Limits(seconds: 20, output: 4 << 20)

    /// The text of the page with the index `index`, from 0, in reading order; paragraphs are separated by an empty line.
    ///
    /// - Throws: As ``PDFDocument/writePage(_:of:_:)``; `CocoaError(.featureUnsupported)` with `ENOENT` below it where
    ///   `pdftotext` is not installed.
    /// - Complexity: What the page consists of, to a file in memory: usually up to eight requests.
    static func read(_ index: Int, of resource: any Resource) async throws -> String {
        let path = try ProviderPath(resource.link.href.removingPercentEncoding ?? resource.link.href)
        let child = ChildProcess(path: try PopplerTool.find("pdftotext", for: path), limits: limits)
        let file = try PopplerTool.pageFile()
        try await PDFDocument.writePage(index, of: resource) { try file.write($0, path: path) }
        let outcome = try await PopplerTool.threads.run { flag in
            try child.run(["-enc", "UTF-8", "-nopgbrk", "/dev/fd/3", "-"], input: file, flag: flag, file: path)
        }
        guard outcome.exitCode == 0 else {
            let said = outcome.errors.split(separator: "\n").first.map { ": \($0.prefix(200))" } ?? ""
            throw FileError.make(
                .fileReadCorruptFile, path: path,
                sentence: "“\(path)” is damaged: pdftotext cannot read page \(index + 1)\(said).")
        }
        return String(decoding: outcome.output, as: UTF8.self)
    }
}
