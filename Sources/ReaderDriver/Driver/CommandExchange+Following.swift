import FileProviderCore
import Foundation
import ReaderMessages

extension CommandExchange {
    /// Seconds between two looks at `connected.xml` while waiting for a report.
    private static let connectionInterval = 3.0
    /// The most seconds between two looks while the storage fails.
    private static let longestPause = 4.0

    /// Polls the report until `sent` is over.
    ///
    /// - Parameter ignoring: A report from before the command.
    /// - Throws: ``DriverError``, or the storage's last error if that ended the command. The command and the report are
    ///   then removed from the folder if the storage allows it. After a `CancellationError` they are unchanged.
    func follow(_ sent: OutstandingCommand, ignoring: Data?, progress: DriverProgress) async throws -> Ending {
        let poll = options.poll(isLocal: await isLocal())
        var run = FollowState(
            watch: StatusWatch(
                command: sent.stamp, earlier: ended, limits: limits(on: sent), coding: coding, ignoring: ignoring,
                now: time.elapsed))
        var pause = poll
        while true {
            let (look, failure) = try await look()
            run.failures = failure == nil ? 0 : run.failures + 1
            pause = failure == nil ? poll : min(pause * 2, max(poll, Self.longestPause))
            switch run.watch.observe(look, now: time.elapsed) {
            case .wait: break
            case .progress(let fraction): progress(fraction)
            case .repeated(let report): await removeStatus(holding: report)
            case .finished(let status): return Ending(status: status, data: run.watch.report ?? Data())
            // A single failed look says nothing about the application; the next one decides.
            case _ where run.failures == 1: break
            case .notAcknowledged:
                guard await wasTaken(sent), !run.isExtended else {
                    try await giveUp(sent, run, failure ?? DriverError(.notAcknowledged))
                }
                run.isExtended = true
                run.watch.extend(now: time.elapsed)
            case .foreign: try await giveUp(sent, nil, DriverError(.busy))
            case .stalled(let fraction):
                try await giveUp(sent, run, failure ?? DriverError(.stalled(lastProgress: fraction)))
            case .unreadable: try await giveUp(sent, run, DriverError(.unreadableStatus))
            case .offlineTooLong: try await giveUp(sent, nil, DriverError(.offline))
            }
            await lookForConnection(&run)
            try await time.sleep(seconds: pause)
        }
    }

    /// On a slow storage, the application has additional time for the command and its report: twice the time that the
    /// driver needed to write, and a second per MiB of the command.
    private func limits(on sent: OutstandingCommand) -> StatusWatch.Limits {
        let more = 2 * lastWriting + Double(sent.data.count) / Double(1 << 20)
        return StatusWatch.Limits(
            acknowledge: options.acknowledgeLimit + more, stall: options.stallLimit + more,
            offline: options.offlineLimit,
            total: options.commandLimit)
    }

    /// The state between two looks.
    private struct FollowState {
        var watch: StatusWatch
        /// Whether the application got additional time for its first report.
        var isExtended = false
        /// Consecutive failed looks.
        var failures = 0
        var lastConnectionLook = 0.0
    }

    /// Looks at the report. A failing storage doesn't end the wait: the limits go on.
    func look() async throws -> (StatusWatch.Look, (any Error)?) {
        // Another look would hang too and occupy one more connection.
        guard looks.areOver else {
            return (
                .failed,
                FileError.make(
                    .timedOut, url: nil, sentence: "The storage did not answer in time (reading the report).")
            )
        }
        do {
            let data = try await looking.read(CommandStatus.fileName, limit: coding.limits.report, counted: looks)
            return (data.map { .bytes($0) } ?? .missing, nil)
        } catch let error where error.isCancellation {
            throw CancellationError()
        } catch let error as CocoaError where error.code == .fileReadTooLarge {
            return (.tooLarge, nil)
        } catch {
            try Task.checkCancellation()
            return (.failed, error)
        }
    }

    /// Checks from time to time, while the report doesn't change, whether the application says that it is offline.
    private func lookForConnection(_ run: inout FollowState) async {
        let now = time.elapsed
        guard run.watch.silence(now: now) > Self.connectionInterval,
            now - run.lastConnectionLook > Self.connectionInterval
        else { return }
        run.lastConnectionLook = now
        do {
            let data = try await looking.read(ConnectedMessage.fileName, limit: coding.limits.report)
            let connected = try data.map { try coding.connected(in: $0) }
            run.watch.note(isOffline: connected?.state == .offline, now: now)
        } catch {
            // An unreadable file says nothing, and the limits go on.
            trace.note("“\(ConnectedMessage.fileName)” cannot be read", error)
        }
    }

    /// Whether the application removed the command's file and so must have noticed the command.
    private func wasTaken(_ sent: OutstandingCommand) async -> Bool {
        // A storage that fails here is about to end the command anyway.
        (try? await looking.attributes(of: sent.fileName) == nil) ?? false
    }

    /// Withdraws the command, removes the report that `run` saw, and throws `error`.
    private func giveUp(_ sent: OutstandingCommand, _ run: FollowState?, _ error: any Error) async throws -> Never {
        let report = run?.watch.report
        await withCancellationShield {
            await self.withdraw(sent)
            if let report { await self.removeStatus(holding: report) }
        }
        throw error
    }
}
