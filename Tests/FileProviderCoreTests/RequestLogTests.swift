import FileProviderCore
import Foundation
import Logging
import ProviderDoubles
import Testing

/// The line of a request.
@Suite struct RequestLogTests {
    private static let record = RequestRecord(
        "GET", of: "/a", host: "h.example", status: "206", details: [("range", "0-1")])

    @Test func `a line has the operation and its path, and the rest by key`() throws {
        let recorded = RecordedLog()
        let log = RequestLog(recorded.logger, provider: "WebDAV")
        log.end(log.begin(), tally: TransferTally(bytesIn: 3, bytesOut: 4)) { Self.record }
        let line = try #require(recorded.lines.first)
        #expect(line.level == .debug && line.message == "GET /a")
        var metadata = line.metadata
        #expect(metadata.removeValue(forKey: "ms").flatMap { Int($0) } != nil)
        #expect(
            metadata == [
                "provider": "WebDAV", "host": "h.example", "status": "206", "range": "0-1", "bytes-in": "3",
                "bytes-out": "4",
            ])
    }

    @Test func `nothing is made without a logger, and while debug is off`() {
        let quiet = RecordedLog(level: .info)
        for log in [RequestLog(nil, provider: "X"), RequestLog(quiet.logger, provider: "X")] {
            #if !Metrics
                #expect(log.begin().map { _ in true } == nil)
            #endif
            log.end(log.begin(), tally: TransferTally()) {
                Issue.record("A line was made.")
                return Self.record
            }
            log.trace(Self.failing())
        }
        #expect(quiet.lines.isEmpty)
    }

    private static func failing() -> String {
        Issue.record("A line was made.")
        return ""
    }

    @Test func `a repetition says its number and the reason, and a failure its error, without secrets`() async throws {
        let recorded = RecordedLog()
        let log = RequestLog(recorded.logger, provider: "X")
        let tries = LockedValue(0)
        let policy = RetryPolicy(retries: 2, firstPause: 0)
        try await policy.run(counters: TransferCounters()) {
            try await log.run {
                let number = tries.update { tries in
                    tries += 1
                    return tries
                }
                if number < 3 {
                    throw FileError.make(
                        .networkConnectionLost, url: nil, sentence: "try \(number) of http://u:s3cret@h/?t=s3cret")
                }
            } record: { _ in
                Self.record
            }
        }
        let lines = recorded.lines.map(\.metadata)
        try #require(lines.count == 3)
        #expect(lines.map { $0["retry"] } == [nil, "1", "2"])
        #expect(lines.map { $0["reason"] } == [nil, "try 1 of http://h/?…", "try 2 of http://h/?…"])
        #expect(lines.map { $0["error"] } == ["try 1 of http://h/?…", "try 2 of http://h/?…", nil])
        #expect(!recorded.text.contains("s3cret"))
        #expect(RepeatedTry.current.map(\.number) == nil)
    }
}
