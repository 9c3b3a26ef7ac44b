import Foundation
import Testing

import ReaderApplication
@testable import ReaderDriver
@testable import ReaderMessages

struct StatusWatchTests {
    private static let coding = MessageCoding()

    private func watch(ignoring: Data? = nil, after earlier: CommandStamp? = nil, total: Double = 10_000)
        -> StatusWatch
    {
        StatusWatch(
            command: CommandStamp(fileName: "delete_books.xml", timestamp: 1000.5), earlier: earlier,
            limits: StatusWatch.Limits(acknowledge: 15, stall: 15, offline: 60, total: total), coding: Self.coding,
            ignoring: ignoring, now: 0)
    }

    private func bytes(
        _ code: CommandStatus.Code, _ progress: Double = 0, at timestamp: Double = 1, command: String? = nil,
        of: String? = nil
    ) -> Data {
        Self.coding.data(
            for: CommandStatus(
                timestamp: timestamp, code: code, progress: progress, command: command, commandTimestamp: of))
    }

    @Test func `a report in progress, then a final one`() {
        var watch = watch()
        #expect(watch.observe(.missing, now: 1) == .wait)
        #expect(watch.observe(.bytes(bytes(.inProgress, 0.25)), now: 2) == .progress(0.25))
        #expect(watch.isAcknowledged)
        guard case .finished(let status) = watch.observe(.bytes(bytes(.success, 1)), now: 3) else {
            Issue.record("It is over.")
            return
        }
        #expect(status.code == .success)
    }

    @Test func `no report in time is no acknowledgement, whether nothing is there or nothing can be seen`() {
        for look in [StatusWatch.Look.missing, .failed] {
            var watch = watch()
            #expect(watch.observe(look, now: 15) == .wait)
            #expect(watch.observe(look, now: 15.1) == .notAcknowledged)
            watch.extend(now: 15.1)
            #expect(watch.observe(look, now: 30) == .wait)
            #expect(watch.observe(look, now: 30.2) == .notAcknowledged)
        }
    }

    @Test func `any change of the bytes is life, the same timestamp and a clock that goes back included`() {
        var watch = watch()
        #expect(watch.observe(.bytes(bytes(.inProgress, 0.1, at: 500)), now: 10) == .progress(0.1))
        #expect(watch.observe(.bytes(bytes(.inProgress, 0.2, at: 500)), now: 24) == .progress(0.2))
        #expect(watch.observe(.bytes(bytes(.inProgress, 0.2, at: 400)), now: 38) == .progress(0.2))
        #expect(watch.observe(.bytes(bytes(.inProgress, 0.2, at: 400)), now: 53) == .wait)
        #expect(watch.observe(.bytes(bytes(.inProgress, 0.2, at: 400)), now: 53.1) == .stalled(0.2))
    }

    @Test func `progress never goes back`() {
        var watch = watch()
        #expect(watch.observe(.bytes(bytes(.inProgress, 0.5, at: 1)), now: 1) == .progress(0.5))
        #expect(watch.observe(.bytes(bytes(.inProgress, 0.1, at: 2)), now: 2) == .progress(0.5))
    }

    @Test func `a report that is missing for a moment is no end`() {
        var watch = watch()
        #expect(watch.observe(.bytes(bytes(.inProgress)), now: 1) == .progress(0))
        #expect(watch.observe(.missing, now: 2) == .wait)
        #expect(watch.observe(.bytes(bytes(.inProgress, 0.5)), now: 3) == .progress(0.5))
        #expect(watch.observe(.missing, now: 18) == .wait)
        #expect(watch.observe(.missing, now: 18.1) == .stalled(0.5))
    }

    @Test func `a half-written report is looked at again, and counts as broken after a while`() {
        var watch = watch()
        let whole = bytes(.inProgress, 0.5)
        #expect(watch.observe(.bytes(whole.prefix(60)), now: 1) == .wait)
        #expect(watch.observe(.bytes(whole), now: 2) == .progress(0.5))
        #expect(watch.observe(.bytes(Data("<status>".utf8)), now: 3) == .wait)
        #expect(watch.observe(.bytes(Data("<status> ".utf8)), now: 17) == .wait)
        #expect(watch.observe(.tooLarge, now: 18.1) == .unreadable)
    }

    @Test func `the report of an earlier command is none of ours`() {
        let old = bytes(.success, 1)
        var watch = watch(ignoring: old)
        #expect(watch.observe(.bytes(old), now: 1) == .wait)
        #expect(watch.observe(.bytes(old), now: 15.1) == .notAcknowledged)
        // Once it was gone, one like it is a new one, from an application whose clock stands still.
        #expect(watch.observe(.missing, now: 15.2) == .notAcknowledged)
        guard case .finished = watch.observe(.bytes(old), now: 15.3) else {
            Issue.record("It is over.")
            return
        }
    }

    @Test func `a second end of the driver's earlier command is told from another driver's report`() {
        let earlier = CommandStamp(fileName: "upload_books.xml", timestamp: 999.25)
        let again = bytes(.success, 1, command: "upload_books.xml", of: "999.25")
        var watch = watch(after: earlier)
        #expect(watch.observe(.bytes(again), now: 1) == .repeated(again))
        #expect(watch.observe(.bytes(again), now: 2) == .wait)
        #expect(watch.observe(.missing, now: 15.1) == .notAcknowledged)
        // Only a final report that names the command is one.
        for other in [
            bytes(.inProgress, 0.5, command: "upload_books.xml", of: "999.25"),
            bytes(.success, 1, command: "upload_books.xml", of: "999.5"),
            bytes(.success, 1, command: "upload_books.xml"),
        ] {
            var watch = self.watch(after: earlier)
            #expect(watch.observe(.bytes(other), now: 1) == .wait)
            #expect(watch.observe(.missing, now: 15.1) == .foreign)
        }
    }

    @Test(arguments: [("upload_books.xml", "1000.5"), ("delete_books.xml", "1000.4")])
    func `a report on another driver's command is never taken for ours`(command: String, timestamp: String) {
        var watch = watch()
        #expect(watch.observe(.bytes(bytes(.success, 1, command: command, of: timestamp)), now: 1) == .wait)
        #expect(!watch.isAcknowledged)
        #expect(watch.observe(.missing, now: 15.1) == .foreign)
    }

    @Test func `a report that names our command is ours`() {
        var watch = watch()
        #expect(
            watch.observe(.bytes(bytes(.inProgress, 0.5, command: "delete_books.xml", of: "1000.5")), now: 1)
                == .progress(0.5))
    }

    @Test func `the limits stand still while the application is offline, for so long`() {
        var watch = watch()
        #expect(watch.observe(.bytes(bytes(.inProgress)), now: 0) == .progress(0))
        watch.note(isOffline: true, now: 10)
        #expect(watch.observe(.missing, now: 60) == .wait)
        watch.note(isOffline: false, now: 60)
        #expect(watch.observe(.missing, now: 65) == .wait)
        #expect(watch.observe(.missing, now: 65.1) == .stalled(0))
    }

    @Test func `an application that stays offline ends the wait`() {
        var watch = watch()
        watch.note(isOffline: true, now: 1)
        #expect(watch.observe(.missing, now: 61) == .wait)
        #expect(watch.observe(.missing, now: 61.1) == .offlineTooLong)
    }

    @Test func `a lively report that never ends is ended`() {
        var watch = watch(total: 100)
        var decision = StatusWatch.Decision.wait
        var now = 0.0
        while now < 200 {
            now += 1
            decision = watch.observe(.bytes(bytes(.inProgress, 0.5, at: now)), now: now)
            if decision == .stalled(0.5) { break }
        }
        #expect(decision == .stalled(0.5))
        #expect(now == 101)
    }
}
