import FileProviderCore
import Foundation
import ReaderMessages

extension CommandExchange {
    /// Seconds between two looks at `connected.xml` while a report is waited for.
    private static let connectionInterval = 3.0
    /// Seconds between two looks while the storage fails, at the most.
    private static let longestPause = 4.0

    /// Looks at the report until `sent` is over.
    ///
    /// - Parameter ignoring: A report that was there before.
    /// - Throws: ``DriverError``; the storage's last error where that is what ended it. Then the command and the report
    ///   are gone from the folder, as far as the storage lets them go; after a `CancellationError` they are as they
    ///   were.
    func follow(_ sent: OutstandingCommand, ignoring: Data?, progress: DriverProgress) async throws -> Ending {
        let poll = options.poll(isLocal: await isLocal())
        var run = FollowState(
            watch: StatusWatch(
                fileName: sent.fileName, timestamp: sent.timestamp, limits: limits(on: sent), coding: coding,
                ignoring: ignoring,
                now: time.elapsed))
        var pause = poll
        while true {
            let (look, failure) = try await look()
            run.failures = failure == nil ? 0 : run.failures + 1
            pause = failure == nil ? poll : min(pause * 2, max(poll, Self.longestPause))
            switch run.watch.observe(look, now: time.elapsed) {
            case .wait: break
            case .progress(let fraction): progress(fraction)
            case .finished(let status): return Ending(status: status, data: run.watch.report ?? Data())
            // One look that failed says nothing of the application: the next one does.
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

    /// An application on a slow storage has as long to fetch the command and to put its report there as the driver had
    /// to write, and a second for each MiB of the command.
    private func limits(on sent: OutstandingCommand) -> StatusWatch.Limits {
        let more = 2 * lastWriting + Double(sent.data.count) / Double(1 << 20)
        return StatusWatch.Limits(
            acknowledge: options.acknowledgeLimit + more, stall: options.stallLimit + more,
            offline: options.offlineLimit,
            total: options.commandLimit)
    }

    /// What is kept from look to look.
    private struct FollowState {
        var watch: StatusWatch
        /// Whether the application got the time for its first report once more.
        var isExtended = false
        /// Looks in a row that failed.
        var failures = 0
        var lastConnectionLook = 0.0
    }

    /// A look at the report. A storage that fails is no reason to stop: the limits go on.
    func look() async throws -> (StatusWatch.Look, (any Error)?) {
        // The next one would hang, too, and hold one connection more.
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

    /// Looks, now and then while the report stays as it is, whether the application says that it is offline.
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
            // What cannot be read says nothing, and the limits go on as they are.
            trace.note("“\(ConnectedMessage.fileName)” cannot be read", error)
        }
    }

    /// Whether the application took the command's file away, so that it must have noticed the command.
    private func wasTaken(_ sent: OutstandingCommand) async -> Bool {
        // A storage that fails here is about to end the command anyway.
        (try? await looking.attributes(of: sent.fileName) == nil) ?? false
    }

    /// Takes the command back, removes the report on it that `run` saw, and throws `error`.
    private func giveUp(_ sent: OutstandingCommand, _ run: FollowState?, _ error: any Error) async throws -> Never {
        let report = run?.watch.report
        await withCancellationShield {
            await self.withdraw(sent)
            if let report { await self.removeStatus(holding: report) }
        }
        throw error
    }
}
