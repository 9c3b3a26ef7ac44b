public import FileProviderCore
import Foundation
import ReaderMessages

extension DriverSession {
    /// Whether an application is there, by one look at `connected.xml`. After ``eject()`` none is.
    ///
    /// An application that promises signs of life is unresponsive when the file stays as it is for three of its
    /// intervals, which takes more than one look to tell.
    /// - Throws: What the storage throws; nothing is known then.
    public func probe() async throws -> ConnectionState {
        if isEnded { return .absent }
        let look: Heartbeat.Look
        let coding = MessageCoding()
        do {
            if let data = try await folder.read(ConnectedMessage.fileName, limit: coding.limits.report) {
                look = Self.look(at: data, coding)
            } else {
                look = .missing
            }
        } catch let error as CocoaError where error.code == .fileReadTooLarge {
            look = .unreadable
        }
        return heartbeat.observe(look, now: context.time.elapsed)
    }

    private static func look(at data: Data, _ coding: MessageCoding) -> Heartbeat.Look {
        // Half written or broken: which of them, the next looks tell.
        guard let connected = try? coding.connected(in: data) else { return .unreadable }
        return .says(connected, data)
    }

    /// The states of the connection from now on, each when it differs from the one before. Looks every
    /// ``DriverOptions/probeInterval`` seconds as long as somebody listens; ends with the session.
    ///
    /// A storage that fails more than three times in a row counts as an application that does not respond.
    public nonisolated var connectionStates: AsyncStream<ConnectionState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            // The session is not kept for the sake of those who listen.
            let task = Task { [weak self] in
                var watch = StateWatch()
                while !Task.isCancelled, let session = self, await !session.isEnded {
                    if let state = await watch.look(at: session) { continuation.yield(state) }
                    // Only a cancelled task cannot wait, and its loop ends.
                    try? await session.context.time.sleep(seconds: session.options.probeInterval)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private struct StateWatch {
        private var last: ConnectionState?
        private var failures = 0

        /// The state; nil where it is still the same, or the storage failed.
        mutating func look(at session: DriverSession) async -> ConnectionState? {
            var state: ConnectionState?
            do {
                state = try await session.probe()
                failures = 0
            } catch {
                failures += 1
                if failures > Heartbeat.patience { state = .unresponsive }
            }
            guard let state, state != last else { return nil }
            last = state
            return state
        }
    }

    /// Looks at the most before an application counts as gone: where a storage replaces a file in two steps, it is away
    /// for a moment.
    private static let looksForAbsence = 3

    /// What the application that is there says of itself.
    /// - Throws: ``DriverError`` (notConnected, offline, ejected); what the storage throws.
    public func applicationInfo() async throws -> ApplicationInfo {
        if isEnded { throw DriverError(.ejected) }
        var state = try await probe()
        for _ in 1..<Self.looksForAbsence where state == .absent && !isEnded {
            try await context.time.sleep(seconds: options.poll(isLocal: await exchange.isLocal()))
            state = try await probe()
        }
        switch state {
        case .absent: throw DriverError(.notConnected)
        case .offline: throw DriverError(.offline)
        case .unresponsive:
            throw DriverError(
                .offline,
                sentence: "The reader application gives no signs of life. Bring it to the front and try again.")
        case .online(let info): return info
        }
    }

    /// What can be done with the application that is there.
    /// - Throws: As ``applicationInfo()``.
    public func capabilities() async throws -> DriverCapabilities {
        DriverCapabilities(try await applicationInfo(), options: options)
    }

    /// The device's memory; nil where the storage does not tell.
    /// - Throws: What the storage throws.
    public func space() async throws -> VolumeObject? {
        if isEnded { throw DriverError(.ejected) }
        let provider = staging.provider
        return try await folder.calls.run("asking for free memory") { try await provider.storageProperties() }
    }

    /// The folder where documents are staged for this application.
    /// - Throws: ``DriverError`` (pathRejected) where the application names none that may be used.
    func documents(of info: ApplicationInfo) throws -> ProviderPath {
        let name = info.documents ?? options.documentsFolder
        return name.isEmpty ? staging.path : try path(of: name, below: staging.path)
    }

    /// The path that a peer's `name` means below `root`.
    /// - Throws: ``DriverError`` (pathRejected).
    func path(of name: String, below root: ProviderPath) throws -> ProviderPath {
        do { return try StagedName.bookPath(name, below: root) } catch let refusal as StagedName.Refusal {
            throw DriverError(.pathRejected, sentence: refusal.errorDescription, underlying: refusal)
        }
    }
}
