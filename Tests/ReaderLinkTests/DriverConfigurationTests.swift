import Foundation
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

struct DriverConfigurationTests {
    @Test func `what one application has goes before what all have, and what nobody says is as usual`() throws {
        let configuration = try DriverConfiguration(
            json: Data(
                """
                { "development_mode": true, "development_app_id": "com.example.Reader",
                  "defaults": { "stall_limit": 30, "upload_batch_size": 50 },
                  "drivers": { "com.example.Reader": { "existing_books": "replace", "byte_order_mark": false, "stall_limit": 40.5 } } }
                """.utf8))
        #expect(configuration.developmentApplication == "com.example.Reader")
        let own = try configuration.options(for: "COM.example.reader")
        #expect(own.stallLimit == 40.5)
        #expect(own.batchSize == 50)
        #expect(own.existingBooks == .replace)
        #expect(!own.writesByteOrderMark)
        #expect(own.developmentMode)
        let others = try configuration.options(for: nil)
        #expect(others.stallLimit == 30)
        #expect(others.existingBooks == .protect)
        #expect(others.acknowledgeLimit == 15)
    }

    @Test func `an empty configuration is the usual one`() throws {
        #expect(try DriverConfiguration(json: Data("{}".utf8)).options(for: "any") == DriverOptions())
    }

    @Test func `what is chosen for one time goes before what the file says`() async throws {
        var configuration = try DriverConfiguration(
            json: Data(#"{ "defaults": { "call_limit": 30, "stall_limit": 30 } }"#.utf8))
        configuration.adjust = { $0.callLimit = 5 }
        #expect(try configuration.options(for: nil).callLimit == 5)
        let session = try await DriverRegistry().open(
            staging: DriverBed().folder, application: "any", configuration: configuration,
            override: { $0.callLimit = 7 })
        #expect(session.options.callLimit == 7)
        #expect(session.options.stallLimit == 30)
    }

    @Test func `options are read back as they were written`() throws {
        var options = DriverOptions()
        options.pollInterval = 0.5
        options.booksFolder = "Documents"
        options.existingBooks = .update
        #expect(try JSONDecoder().decode(DriverOptions.self, from: JSONEncoder().encode(options)) == options)
    }

    @Test(arguments: [
        #"{ "defaults": { "stall_limit": 0 } }"#, #"{ "defaults": { "stall_limit": -3 } }"#,
        #"{ "defaults": { "stall_limit": 1e300 } }"#,
        #"{ "defaults": { "upload_batch_size": 0 } }"#, #"{ "defaults": { "upload_batch_size": 1.5 } }"#,
        #"{ "defaults": { "stall_limits": 3 } }"#, #"{ "drivers": { "x": { "existing_books": "burn" } } }"#,
        #"{ "drivers": { "x": 3 } }"#, #"{ "development_mode": "yes" }"#, "[]", "{", "",
    ])
    func `what makes no sense is refused with the name of the file`(json: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "driver-\(UUID().uuidString).json")
        try Data(json.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }  // The system sweeps its temporary folder.
        do {
            _ = try await DriverConfiguration.load(from: file)
            Issue.record("It was read.")
        } catch let error as CocoaError {
            #expect(error.code == .fileReadCorruptFile)
            #expect((error.userInfo[NSLocalizedDescriptionKey] as? String)?.contains(file.path) == true)
        }
    }

    @Test func `a driver is found by the application, whatever the case, else the one for all`() {
        struct Loud: ReaderDriver {
            func options(_ chosen: DriverOptions) -> DriverOptions {
                var options = chosen
                options.batchSize = 7
                return options
            }
        }
        var registry = DriverRegistry.standard
        registry.register(Loud(), for: "com.Example.loud")
        #expect(registry.driver(for: "com.example.LOUD").options(DriverOptions()).batchSize == 7)
        #expect(registry.driver(for: nil) is CalibreProtocolDriver)
        #expect(registry.driver(for: "com.example.other") is CalibreProtocolDriver)
        #expect(registry.applications == ["com.example.loud"])
    }

    @Test func `text of a peer does not reach a terminal as it is`() {
        #expect(LogText.shown("a\u{1B}[2J\nb\u{202E}") == "a\u{FFFD}[2J\u{FFFD}b\u{FFFD}")
        #expect(LogText.shown(String(repeating: "x", count: 500), limit: 10) == "xxxxxxxxxx…")
    }
}
