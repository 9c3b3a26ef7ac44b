import FileProviderCore
import Foundation
import Logging
import Sync
import Testing

@testable import SyncDaemon

@Suite struct ConfigurationTests {
    private let bed: DaemonBed

    init() throws {
        bed = try DaemonBed()
    }

    @Test func `a configuration with everything in it is read`() async throws {
        let file = try bed.configure(
            """
            {"state": "/s", "health": "/h.json", "healthInterval": 5, "prometheus": "/p.prom", "logLevel": "debug", "pairs": [
              {"name": "a", "source": {"url": "/a"}, "destination": {"url": "sftp://nas/b", "user": "me", "knownHosts": ["/known_hosts"]},
               "options": {"direction": "twoWay", "removalLimit": "10%"}, "service": {"rescan": 60}},
              {"name": "b", "source": {"url": "davs://host/c"}, "destination": {"url": "/d"}}]}
            """)
        let configuration = try await ConfigurationFile.load(Configuration.self, from: file)
        #expect(configuration.state == "/s" && configuration.health == "/h.json" && configuration.healthInterval == 5)
        #expect(configuration.logLevel == .debug && configuration.prometheus == "/p.prom")
        let pairs = configuration.pairs
        #expect(
            pairs.map(\.name) == ["a", "b"] && pairs[0].options.direction == .twoWay && pairs[0].service.rescan == 60)
        #expect(pairs[0].destination.user == "me" && pairs[1].options.direction == .mirror)
    }

    @Test func `the example is one`() async throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let pairs = try await ConfigurationFile.load(
            Configuration.self, from: package.appending(path: "config.json").path
        ).pairs
        #expect(pairs.map(\.name) == ["books", "photos"] && pairs[1].options.deletes)
    }

    @Test(arguments: [
        (#"{"pairs": []}"#, "at pairs: There is none."),
        (#"{"pair": []}"#, "“pair” is not a key of the configuration"),
        ("{\n  \"logLevel\": \"info\"\n  \"pairs\": []\n}", "Line 3: "),
        ("{\n  \"pairs\": [", "end of file"),
        (#"{"pairs": [{"name": "a", "source": {"url": "/a"}}]}"#, "destination"),
        (
            #"{"pairs": [{"name": "a b", "source": {"url": "/a"}, "destination": {"url": "/b"}}]}"#,
            "“a b” is not a name"
        ),
        (
            #"{"healthInterval": 0, "pairs": [{"name": "a", "source": {"url": "/a"}, "destination": {"url": "/b"}}]}"#,
            "at healthInterval:"
        ),
        (
            #"{"pairs": [{"name": "a", "source": {"url": "/a"}, "destination": {"url": "/b"}, "options": {"delete": true}}]}"#,
            "at pairs.1.options: “delete” is not a key of a pair's options"
        ),
        (
            #"{"pairs": [{"name": "a", "source": {"url": "/a"}, "destination": {"url": "/b"}, "options": {"filter": ["x"]}}]}"#,
            "at pairs.1.options.filter: The filter “x”"
        ),
    ])
    func `what is wrong is refused with a sentence that says where`(text: String, expected: String) async throws {
        let file = try bed.configure(text)
        let sentence = try await sentence(file)
        #expect(sentence.contains(file) && sentence.contains(expected), "\(sentence)")
    }

    @Test(arguments: [("a", "a"), ("nas", "NAS"), ("nas-1", "nas.1")])
    func `two pairs cannot share a state, nor passwords in the environment`(one: String, other: String) async throws {
        let pairs = [one, other].map { #"{"name": "\#($0)", "source": {"url": "/a"}, "destination": {"url": "/b"}}"# }
        let file = try bed.configure(#"{"pairs": [\#(pairs.joined(separator: ", "))]}"#)
        #expect(try await sentence(file).contains("Two of them have names that differ only in case"))
    }

    @Test func `a password is refused, and not repeated`() async throws {
        let sentence = try await sentence(
            bed.configure(
                #"{"pairs": [{"name": "a", "source": {"url": "ftps://me:s3cret@host/"}, "destination": {"url": "/b"}}]}"#
            ))
        #expect(sentence.contains("has a password in it") && !sentence.contains("s3cret"))
    }

    /// Why a configuration is refused.
    private func sentence(_ file: String) async throws -> String {
        do { _ = try await ConfigurationFile.load(Configuration.self, from: file) } catch let error as CocoaError
            where error.code == .fileReadCorruptFile
        {
            return error.localizedDescription
        }
        return ""
    }
}
