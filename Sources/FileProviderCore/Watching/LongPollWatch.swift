import Foundation

/// Watches through a server that answers when something changed.
actor LongPollWatch: FileWatch {
    private let provider: @Sendable () -> (any FileProviderLongPolling)?
    private let path: ProviderPath
    private let options: WatchOptions
    private let asked: WatchOutcome
    private var token: String?
    private var failure: (any Error)?
    private var pace: PollingPace
    /// Whether to wait before the next request.
    private var isResting = false
    private var work: Task<LongPollAnswer?, any Error>?
    private var isStopped = false

    /// - Parameter asked: Called after each question that was answered, or failed because the storage is away.
    init(
        of provider: any FileProviderLongPolling, path: ProviderPath, options: WatchOptions,
        asked: @escaping WatchOutcome
    ) {
        self.provider = { [weak provider] in provider }
        self.path = path
        self.options = options
        self.asked = asked
        pace = PollingPace(options)
    }

    /// Asks for the present state.
    func start() async throws { token = try await provider()?.changes(path: path, since: nil).token }

    func next() async throws -> [FileEvent]? {
        while !isStopped {
            if let failure { throw failure }
            let step = Task { try await ask() }
            work = step
            let result = await withTaskCancellationHandler {
                await step.result
            } onCancel: {
                step.cancel()
            }
            work = nil
            if isStopped { break }
            switch result {
            case .success(let answer?):
                token = answer.token
                await asked(nil)
                let events = reported(answer.events)
                if events.count > options.maxPending { return [.tooMany(at: path)] }
                if !events.isEmpty { return events }
            case .success(nil): isStopped = true
            case .failure(let error):
                if error.isCancellation, Task.isCancelled { throw CancellationError() }
                if error.isPassing { await asked(error) }
                if let last = judge(error) { return last }
            }
        }
        return nil
    }

    func stop() async {
        isStopped = true
        work?.cancel()
        _ = await work?.result
    }

    private func ask() async throws -> LongPollAnswer? {
        if isResting { try await Task.sleep(for: pace.pause) }
        let start = ContinuousClock.now
        guard let answer = try await provider()?.changes(path: path, since: token) else { return nil }
        // A server that answers at once without changes must not be asked in a tight loop.
        isResting = answer.events.isEmpty && ContinuousClock.now - start < .seconds(options.minInterval)
        pace.looked(for: .zero, changes: !isResting)
        return answer
    }

    /// Retries later if the server is away; every other error ends the watch.
    private func judge(_ error: any Error) -> [FileEvent]? {
        if error.isPassing {
            isResting = true
            pace.failed()
            return nil
        }
        failure = error
        return error.isNoSuchFile ? [FileEvent(.removed, path: path, type: .directory)] : nil
    }
}

// MARK: Reporting

extension LongPollWatch {
    /// Returns the events that the options ask for, without unfinished files.
    private func reported(_ events: [FileEvent]) -> [FileEvent] {
        var reported: [FileEvent] = []
        var rescans: [FileEvent] = []
        for event in events {
            guard event.kind == .moved, let from = event.from else {
                if tells(event.path) { reported.append(event) }
                continue
            }
            switch (tells(from), tells(event.path)) {
            case (true, true): reported.append(event)
            case (true, false): reported.append(FileEvent(.removed, path: from, type: event.type))
            case (false, true):
                reported.append(FileEvent(.created, path: event.path, type: event.type))
                guard event.type == .directory, options.isRecursive else { continue }
                let reason = "The content of this folder was not reported before it got this name."
                rescans.append(FileEvent(.rescan, path: event.path, type: .directory, reason: reason))
            case (false, false): continue
            }
        }
        return reported + rescans
    }

    private func tells(_ location: ProviderPath) -> Bool {
        guard location.isBelow(path) else { return true }
        let names = location.components.dropFirst(path.components.count).map { String(decoding: $0, as: UTF8.self) }
        if names.contains(where: TemporaryName.matches) { return false }
        return options.isRecursive || location.parent == path
    }
}
