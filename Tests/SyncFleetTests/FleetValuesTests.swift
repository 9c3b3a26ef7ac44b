import FileProviderCore
import Foundation
import Testing

@testable import SyncFleet

struct FleetValuesTests {
    @Test func `names of states are read back, and nothing else is a name`() {
        for _ in 0..<100 {
            let name = FleetStateName(pair: 12, fence: 7)
            #expect(FleetStateName(name.description) == name)
        }
        #expect(FleetStateName("12/7-0a1b2c3d.sqlite")?.cached == "12-7-0a1b2c3d.sqlite")
        let others = [
            "", "12", "12/7.sqlite", "12/7-0a1b2c3.sqlite", "12/7-0A1B2C3D.sqlite", "012/7-0a1b2c3d.sqlite",
            "12/+7-0a1b2c3d.sqlite", "../7-0a1b2c3d.sqlite", "12/7-0a1b2c3d.sqlite/x", "12//7-0a1b2c3d.sqlite",
            "12/7-0a1b2c3d.sqlite ", "x/7-0a1b2c3d.sqlite", "12/7-0a1b2c3d.db",
        ]
        for other in others { #expect(FleetStateName(other) == nil, "\(other)") }
    }

    private let gates = ["owner:ann", "host:a.example:443", "host:b.example:22"]

    @Test func `a refused login and a full storage close the owner's gate`() {
        for error in [
            URLError(.userAuthenticationRequired) as any Error, FileError.make(.fileWriteOutOfSpace, path: "/a"),
        ] {
            #expect(FailureScope(error).gate(among: gates) == "owner:ann")
            #expect(FailureScope(error).gate(among: ["owner:", "host:a.example:443"]) == nil)
        }
    }

    @Test func `a host that can't be reached closes its gate alone`() throws {
        let url = try #require(URL(string: "https://A.example/dav/"))
        let error = FileError.make(.cannotConnectToHost, url: url, sentence: "No connection.")
        #expect(FailureScope(error).gate(among: gates) == "host:a.example:443")
        // Without a URL, either host may be the one.
        #expect(FailureScope(URLError(.timedOut)).gate(among: gates) == nil)
        #expect(FailureScope(URLError(.timedOut)).gate(among: Array(gates.prefix(2))) == "host:a.example:443")
        let other = try #require(URL(string: "https://a.example:8443/"))
        let there = FileError.make(.timedOut, url: other, sentence: "Out of time.")
        #expect(FailureScope(there).gate(among: gates) == nil)
    }

    private struct Busy: FileProviderHTTPError, RetryAfterError {
        var code: FileProviderHTTPErrorCode
        var path: String { "/" }
        var serverDescription: String? { nil }
        var retryAfter: Double?
    }

    @Test func `a busy server closes its host's gate, and an item's failure closes none`() {
        let gates = Array(gates.prefix(2))
        for status in [429, 503] {
            let error = Busy(code: FileProviderHTTPErrorCode(rawValue: status), retryAfter: nil)
            #expect(FailureScope(error).gate(among: gates) == "host:a.example:443")
        }
        let locked = Busy(code: FileProviderHTTPErrorCode(rawValue: 423), retryAfter: nil)
        #expect(FailureScope(locked) == .pair)
        #expect(FailureScope(FileError.make(.fileReadNoPermission, path: "/a")) == .pair)
    }

    @Test func `pauses double up to the longest, vary by a quarter, and are as long as the server asks`() {
        let options = FleetWorkerOptions()
        let pauses = (1...12).map { options.pause(after: $0, error: nil, jitter: 1) }
        #expect(pauses.prefix(4) == [5, 10, 20, 40])
        #expect(pauses.suffix(2) == [3600, 3600])
        for _ in 0..<100 { #expect((3.75...6.25).contains(options.pause(after: 1, error: nil))) }
        let busy = Busy(code: FileProviderHTTPErrorCode(rawValue: 503), retryAfter: 120)
        #expect(options.pause(after: 1, error: busy) == 120)
        let absurd = Busy(code: FileProviderHTTPErrorCode(rawValue: 503), retryAfter: 1e9)
        #expect(options.pause(after: 1, error: absurd) == 3600)
    }

    @Test func `a worker's options are read from JSON, and unknown keys and wrong values are refused`() throws {
        let read = { (text: String) in try JSONDecoder().decode(FleetWorkerOptions.self, from: Data(text.utf8)) }
        #expect(try read("{}") == FleetWorkerOptions())
        let options = try read(#"{"runsAtOnce": 8, "leaseTime": 60, "grace": 5}"#)
        #expect(options.runsAtOnce == 8 && options.leaseTime == 60 && options.grace == 5)
        let again = try JSONDecoder().decode(FleetWorkerOptions.self, from: JSONEncoder().encode(options))
        #expect(again == options)
        for text in [#"{"runs": 8}"#, #"{"runsAtOnce": 0}"#, #"{"leaseTime": -1}"#, #"{"leaseTime": "x"}"#] {
            #expect(throws: DecodingError.self, "\(text)") { try read(text) }
        }
    }

    @Test func `the metrics are text for Prometheus, and JSON by outcome`() throws {
        var metrics = FleetWorkerMetrics()
        metrics.runs[.success] = 3
        metrics.bytes = 5_000_000_000
        let lines = metrics.prometheus.split(separator: "\n")
        #expect(lines.contains("carrel_fleet_worker_runs_total{outcome=\"success\"} 3"))
        #expect(lines.contains("carrel_fleet_worker_runs_total{outcome=\"lost\"} 0"))
        #expect(lines.contains("carrel_fleet_worker_transferred_bytes_total 5000000000"))
        #expect(!metrics.prometheus.contains("last_run_timestamp"))
        let json = String(decoding: try JSONEncoder().encode(metrics), as: UTF8.self)
        #expect(json.contains(#""runs":{"success":3}"#))
    }
}
