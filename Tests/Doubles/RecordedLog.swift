import FileProviderCore
package import Logging

/// Keeps every line of a log, whole.
package struct RecordedLog: Sendable {
    /// One event.
    package struct Line: Sendable, CustomStringConvertible {
        package let level: Logger.Level
        package let message: String
        package let metadata: [String: String]

        /// Everything that a handler gets.
        package var description: String { "\(level) \(message) \(metadata)" }
    }

    private let collected = CollectedValues<Line>()
    private let level: Logger.Level

    /// - Parameter level: The lowest that is kept.
    package init(level: Logger.Level = .trace) {
        self.level = level
    }

    /// Writes here.
    package var logger: Logger { Logger(label: "test") { _ in Handler(log: self, logLevel: level) } }

    /// What came so far.
    package var lines: [Line] { collected.values }

    /// All of it as text.
    package var text: String { lines.map(\.description).joined(separator: "\n") }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
            log.collected.append(
                Line(level: event.level, message: "\(event.message)", metadata: all.mapValues { "\($0)" }))
        }
    }
}
