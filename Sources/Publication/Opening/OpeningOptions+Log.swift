import FileProviderCore
import Logging
import MediaTypes

extension OpeningOptions {
    /// Logs what the file at `path` was recognised as.
    func recognized(_ sniffed: SniffedType?, _ path: ProviderPath) {
        logger?.debug(
            "recognize \(path.shownInLog)",
            metadata: [
                "media-type": "\(sniffed?.mediaType.string ?? "unknown")",
                "by": "\(sniffed.map { $0.basis == .hint ? "hint" : "content" } ?? "nothing")",
            ])
    }

    /// Logs which parser opened the file at `path`.
    func parsed(_ path: ProviderPath, as type: MediaType?, by parser: any PublicationParser, warnings: Int) {
        logger?.debug(
            "open \(path.shownInLog)",
            metadata: [
                "media-type": "\(type?.string ?? "unknown")", "parser": "\(Swift.type(of: parser))",
                "warnings": "\(warnings)",
            ])
    }

    /// Returns a reader that logs each read, or `reader` itself if `.debug` is off.
    func logging(_ reader: any FileReader) -> any FileReader {
        guard let logger, logger.logLevel <= .debug else { return reader }
        return LoggedReader(reader, logger: logger)
    }
}

extension ProviderPath {
    /// The path on one line.
    var shownInLog: String { LogText.shown(string, limit: Secrets.maxPathLength) }
}
