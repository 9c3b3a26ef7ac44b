import FileProviderCore
import Foundation
import Sync

/// Decides what became of a run, and when the pair is due again.
struct RunJudgement: Sendable {
    private let lease: FleetLease
    private let ending: HeldLease.Ending?
    private let options: FleetWorkerOptions

    init(_ lease: FleetLease, _ ending: HeldLease.Ending?, _ options: FleetWorkerOptions) {
        self.lease = lease
        self.ending = ending
        self.options = options
    }

    /// - Parameter published: Whether a new state was uploaded, or the error; `nil` if there was nothing to publish.
    func result(_ synced: Result<FolderSyncReport, any Error>, _ published: Result<Bool, any Error>?) -> FleetRunResult
    {
        var result = FleetRunResult(outcome(synced))
        switch synced {
        case .success(let report): result.report = report
        case .failure(let error): result.fail(error)
        }
        switch published {
        case .success(let isNew): result.hasNewState = isNew
        // What the run did is not recorded, but the former state is safe to go on with.
        case .failure where ending == .over: result.outcome = .stopped
        case .failure(let error) where result.outcome != .lost:
            result.outcome = .failed
            result.fail(error)
        case .failure, nil: break
        }
        result.delay = delay(result)
        return result
    }

    private func outcome(_ synced: Result<FolderSyncReport, any Error>) -> FleetOutcome {
        if ending == .lost { return .lost }
        switch synced {
        case .success(let report): return report.isComplete ? .success : .incomplete
        case .failure(let error):
            if error.removalStop != nil { return .refused }
            return switch ending {
            case .stopping, .over: .stopped
            case .deadline: .deadline
            case .lost: .lost
            case nil: .failed
            }
        }
    }

    private func delay(_ result: FleetRunResult) -> Double {
        let pause = options.pause(after: lease.failures + 1, error: cause(result))
        return switch result.outcome {
        case .success, .refused: lease.pair.every
        // The rest is in step and has its usual interval.
        case .incomplete: min(pause, lease.pair.every)
        case .failed, .deadline: pause
        case .stopped, .lost: 0
        }
    }

    /// Returns the error on which the back-off and its scope depend: of an incomplete run, that of the first item that
    /// may succeed later.
    private func cause(_ result: FleetRunResult) -> (any Error)? {
        switch result.outcome {
        case .failed: return result.error
        case .incomplete:
            let errors = result.report?.failed.compactMap(\.error) ?? []
            return errors.first { $0.isTransient || FailureScope($0) != .pair }
        case .success, .refused, .deadline, .stopped, .lost: return nil
        }
    }

    /// Returns what the queue learns of a run.
    func release(_ result: FleetRunResult) -> FleetRelease {
        let cause = cause(result)
        let gate = result.isOfStates ? nil : cause.flatMap { FailureScope($0).gate(among: lease.pair.gates) }
        return FleetRelease(
            outcome: result.outcome.rawValue, delay: result.delay, gate: gate,
            gateDelay: gate == nil ? 0 : options.pause(after: 1, error: cause), changes: result.changes,
            bytes: result.bytes, error: sentence(result))
    }

    /// One sentence without secrets, or `nil` if nothing went wrong.
    private func sentence(_ result: FleetRunResult) -> String? {
        switch result.outcome {
        case .success, .stopped, .lost: return nil
        case .failed, .refused: return result.error?.loggedSentence
        case .deadline:
            let seconds = Int(lease.pair.deadline ?? 0)
            return "The run took longer than \(seconds) seconds and was ended. The next run goes on."
        case .incomplete:
            guard let item = result.report?.failed.first ?? result.report?.postponed.first else { return nil }
            return LogText.shown(
                Secrets.removed(from: "\(item.path) at the \(item.side): \(item.reason)"), limit: 1000)
        }
    }
}
