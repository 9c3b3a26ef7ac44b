import FileProviderCore
import Foundation
import Logging
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// What a driver writes down, for those who develop one and for those who don't.
@Suite(.timeLimit(.minutes(2)))
struct CommandTraceTests {
    private struct Line: Sendable {
        let level: Logger.Level
        let text: String
    }

    private struct RecordingHandler: LogHandler {
        let lines: CollectedValues<Line>
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { lines.append(Line(level: event.level, text: "\(event.message)")) }
    }

    /// The driver that is developed.
    private struct DevelopedCommand: ReaderDriver {
        func options(_ chosen: DriverOptions) -> DriverOptions {
            var options = chosen
            options.batchSize = 7
            return options
        }
    }

    private static let picture = Data("a picture".utf8)

    private static var update: UpdatedBook {
        var update = UpdatedBook(BookReference(author: "Ann", filename: "a.epub", title: "The Lamp"))
        update.description = "<p>A secret</p>"
        update.cover = EncodedCover(picture: picture)
        return update
    }

    /// Opens the session that the file of options asks for, and has it send an update to an application of another
    /// name.
    private func lines(_ options: String) async throws -> (session: DriverSession, lines: [Line]) {
        let file = FileManager.default.temporaryDirectory.appending(path: "driver-\(UUID().uuidString).json")
        try Data(options.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }  // The system sweeps its temporary folder.
        let lines = CollectedValues<Line>()
        let bed = try DriverBed(logger: Logger(label: "test") { _ in RecordingHandler(lines: lines) })
        try await bed.begin([
            "application": "org.example.other", "capabilities": ConnectedMessage.Capability.metadataItems,
        ]) { bed, _ in
            try await bed.finish(.updateMetadataItems, .warnings, [StatusMessage("It is\u{1B} open.", about: "a.epub")])
        }
        var registry = DriverRegistry.standard
        registry.register(DevelopedCommand(), for: "com.example.reader")
        let session = try await registry.open(
            staging: bed.staging, configuration: DriverConfiguration.load(from: file), context: bed.context)
        #expect(try await session.update([Self.update]).messages.count == 1)
        try bed.check()
        return (session, lines.values)
    }

    @Test func `a file of options has commands and answers logged, and the driver under development taken`()
        async throws
    {
        let (session, lines) = try await lines(
            """
            { "development_mode": true, "development_app_id": "com.example.Reader",
              "drivers": { "com.example.reader": { "acknowledge_limit": 40 }, "org.example.other": { "acknowledge_limit": 50 } } }
            """)
        #expect(session.options.batchSize == 7)
        #expect(session.options.acknowledgeLimit == 40)
        let notices = lines.filter { $0.level == .notice }.map(\.text)
        try #require(notices.count == 2, "\(notices)")
        #expect(notices[0].hasPrefix("update_metadata_items.xml: <?xml version='1.0' encoding='utf-8'?> <"))
        #expect(notices[0].contains("title='The Lamp'") && notices[0].contains("(15 characters)"))
        #expect(!notices[0].contains("secret") && !notices[0].contains(Self.picture.base64EncodedString()))
        #expect(notices[1] == "update_metadata_items.xml: [a.epub] It is\u{FFFD} open.")
    }

    @Test func `without it the application's own driver is taken, and no contents are logged`() async throws {
        let (session, lines) = try await lines(#"{ "drivers": { "org.example.other": { "acknowledge_limit": 50 } } }"#)
        #expect(session.options.acknowledgeLimit == 50)
        #expect(session.options.batchSize == 100)
        #expect(lines.map(\.level).allSatisfy { $0 == .debug })
        #expect(lines.contains { $0.text == "sends update_metadata_items.xml" })
        #expect(!lines.contains { $0.text.contains("Lamp") || $0.text.contains("open") })
    }
}
