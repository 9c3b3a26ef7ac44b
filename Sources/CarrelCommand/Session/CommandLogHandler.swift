import Foundation
import Logging

/// Writes a log to standard error, one line an event: `carrel: GET /books/a.epub provider=WebDAV status=206 ms=12 …`.
struct CommandLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(level: Logger.Level) {
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
        let pairs = all.sorted { Self.order($0.key) < Self.order($1.key) }.map { key, value in
            let text = "\(value)"
            return " \(key)=" + (text.contains(" ") || text.isEmpty ? text.debugDescription : text)
        }
        // The next change draws the progress bar again.
        let clearing = isatty(2) == 1 ? "\r\u{1B}[K" : ""
        let mark = event.level >= .warning ? "\(event.level): " : ""
        Output.rawStandardError("\(clearing)carrel: \(mark)\(("\(event.message)" + pairs.joined()).onOneLine)\n")
    }

    /// The most important keys come first, the others in alphabetical order.
    private static func order(_ key: String) -> String {
        let first = ["provider", "host", "status", "ms", "bytes-in", "bytes-out", "retry", "reason", "error"]
        return first.firstIndex(of: key).map { "\($0)" } ?? key
    }
}
