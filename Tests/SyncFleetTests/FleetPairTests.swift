import FileProviderCore
import Foundation
import Sync
import Testing

@testable import SyncFleet

struct FleetPairTests {
    private func pair(_ source: String = "file:///a", _ destination: String = "dav://nas.example/b") -> FleetPair {
        FleetPair(name: "a", source: source, destination: destination)
    }

    private func decoded(_ json: String) throws -> FleetPair {
        try JSONDecoder().decode(FleetPair.self, from: Data(json.utf8))
    }

    // MARK: Gates

    @Test(
        "A location's gate is its host in lower case, with the port unless it is a usual one",
        arguments: [
            ("dav://NAS.Example/photos", "host:nas.example"), ("davs://nas.example:443/", "host:nas.example"),
            ("DAVS://nas.example:5005/", "host:nas.example:5005"), ("http://nas.example:80/", "host:nas.example"),
            ("https://nas.example:80/", "host:nas.example"), ("sftp://ann@nas.example:22/a", "host:nas.example"),
            ("sftp://nas.example.:2222/a", "host:nas.example:2222"), ("ftps://nas.example:990/", "host:nas.example"),
            ("ftp://nas.example:990/", "host:nas.example"), ("s3://bucket/key", "host:bucket"),
            ("sftp://[FE80::1]:2222/", "host:[fe80::1]:2222"), ("sftp://[::1]/", "host:[::1]"),
            ("plugin://nas.example:7/a b", "host:nas.example:7"),
        ])
    func hosts(location: String, gate: String) {
        #expect(FleetPair.hostGate(of: location) == gate)
    }

    @Test(
        "Files of this machine and locations without a host have no gate",
        arguments: ["file:///a/b", "file://localhost/a", "mem://x/", "/srv/photos", "nas:photos", "git:///srv", ""])
    func noHost(location: String) {
        #expect(FleetPair.hostGate(of: location) == nil)
    }

    @Test(
        "A host that a person writes has the gate of its locations",
        arguments: [
            ("NAS.example", "dav://nas.example/"), ("nas.example:5005", "dav://nas.example:5005/"),
            ("[::1]:2222", "sftp://[::1]:2222/"), ("::1", "sftp://[::1]/"), ("[::1]", "sftp://[::1]/"),
        ])
    func named(name: String, location: String) {
        #expect(FleetPair.hostGate(named: name) == FleetPair.hostGate(of: location))
    }

    @Test("A pair has its owner's gate and that of each host once, in byte order")
    func gates() {
        var pair = pair("sftp://b.example/", "davs://a.example/")
        pair.owner = "Ann"
        #expect(pair.gates == ["host:a.example", "host:b.example", "owner:Ann"])
        #expect(self.pair("dav://h/1", "dav://H/2").gates == ["host:h", "owner:"])
        #expect(self.pair("file:///a", "/b").gates == ["owner:"])
    }

    // MARK: Settings

    @Test("A pair's JSON has defaults for missing keys, and comes back as it was")
    func codable() throws {
        let small = try decoded(#"{"name": "a", "source": "file:///a", "destination": "dav://nas.example/b"}"#)
        #expect(small == pair())
        var full = pair()
        full.owner = "ann"
        full.sourceCredential = "s"
        full.destinationCredential = "d"
        full.options = #"{"direction": "twoWay"}"#
        full.every = 0.5
        full.deadline = 60
        full.priority = -3
        #expect(try JSONDecoder().decode(FleetPair.self, from: JSONEncoder().encode(full)) == full)
    }

    @Test("An unknown key in a pair's JSON is refused")
    func unknownKey() {
        #expect(throws: DecodingError.self) {
            try decoded(#"{"name": "a", "source": "file:///a", "destination": "file:///b", "password": "x"}"#)
        }
    }

    @Test("The options are those of a synchronisation")
    func options() throws {
        var pair = pair()
        #expect(try pair.syncOptions().direction == .mirror)
        pair.options = #"{"direction": "twoWay"}"#
        #expect(try pair.syncOptions().direction == .twoWay)
    }

    @Test("A pair that can be kept passes the check")
    func good() throws {
        try pair().check()
        try pair("/srv/photos", "sftp://ann@nas.example/a%3Fb").check()
        var limits = pair()
        limits.every = 0
        limits.deadline = 0.5
        limits.priority = Int(Int32.min)
        try limits.check()
    }

    @Test(
        "A location with a secret is refused, and the sentence does not show it",
        arguments: [
            "dav://ann:geheim@nas.example/", "dav://nas.example/?token=geheim", "dav://nas.example/#geheim",
            "dav://:geheim@nas.example/",
        ])
    func secrets(location: String) {
        for pair in [pair(location, "file:///b"), pair("file:///a", location)] {
            let error = #expect(throws: URLError.self) { try pair.check() }
            #expect(error?.code == .badURL)
            #expect(error?.sentence.contains("geheim") == false)
        }
    }

    @Test("Unusable settings are refused with a sentence that names the pair")
    func unusable() {
        let changes: [(inout FleetPair) -> Void] = [
            { $0.every = -1 }, { $0.every = .nan }, { $0.every = .infinity }, { $0.deadline = 0 },
            { $0.priority = Int(Int32.max) + 1 }, { $0.options = "{" }, { $0.options = #"{"deletion": true}"# },
            { $0.options = #"{"filter": ["- a\u0000"]}"# }, { $0.sourceCredential = "" }, { $0.source = "" },
            { $0.owner = "a\u{0}" }, { $0.owner = String(repeating: "x", count: 1001) },
        ]
        for change in changes {
            var pair = pair()
            change(&pair)
            let error = #expect(throws: (any Error).self, "\(pair)") { try pair.check() }
            #expect(error?.sentence.isEmpty == false)
        }
        for name in ["", "a\nb", String(repeating: "x", count: 1001)] {
            var pair = pair()
            pair.name = name
            let error = #expect(throws: CocoaError.self) { try pair.check() }
            #expect(error?.code == .fileWriteInvalidFileName)
        }
    }

    // MARK: Metrics

    @Test("A summary is text for Prometheus, with the names of hosts escaped")
    func prometheus() {
        let gate = FleetSummary.Gate(
            name: #"a"\b"#, limit: 3, running: 2, failures: 0, closedFor: nil, paused: false)
        let summary = FleetSummary(
            pairs: 10, waiting: 4, ready: 3, parked: 2, running: 1, paused: 0, failing: 5, runs: 7, failedRuns: 6,
            bytes: 5_000_000_000, changes: 8, oldestReady: 1.5, workers: [], owners: [], hosts: [gate])
        let lines = summary.prometheus.split(separator: "\n")
        for line in [
            "carrel_fleet_pairs{status=\"waiting\"} 4", "carrel_fleet_pairs{status=\"running\"} 1",
            "carrel_fleet_oldest_ready_seconds 1.5", "carrel_fleet_transferred_bytes 5000000000",
            #"carrel_fleet_host_running{host="a\"\\b"} 2"#,
        ] { #expect(lines.contains { $0 == line }, "\(line)") }
        #expect(summary.prometheus.hasSuffix("\n"))
    }
}
