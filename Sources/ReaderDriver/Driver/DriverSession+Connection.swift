public import FileProviderCore
import Foundation
import ReaderMessages

extension DriverSession {
    /// Returns the state of the connection, with one look at `connected.xml`. After ``eject()`` it is always absent.
    ///
    /// An application with a heartbeat counts as unresponsive if the file is unchanged for three of its intervals,
    /// which takes more than one look to detect.
    /// - Throws: Errors of the storage; the state is unknown then.
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
        // The file is half written or broken; the next looks show which.
        guard let connected = try? coding.connected(in: data) else { return .unreadable }
        return .says(connected, data)
    }

    /// The states of the connection from now on, each when it changes. Looks every ``DriverOptions/probeInterval``
    /// seconds while the sequence is in use; ends with the session.
    ///
    /// If the storage fails more than three times in a row, the state is unresponsive.
    public nonisolated var connectionStates: AsyncStream<ConnectionState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            // The stream doesn't keep the session alive.
            let task = Task { [weak self] in
                var watch = StateWatch()
                while !Task.isCancelled, let session = self, await !session.isEnded {
                    if let state = await watch.look(at: session) { continuation.yield(state) }
                    // Only cancellation throws here, and it ends the loop.
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

        /// Returns the state, or `nil` if it is unchanged or the storage failed.
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

    /// The most looks before an application counts as gone: a storage that replaces a file in two steps has none for a
    /// moment.
    private static let looksForAbsence = 3

    /// Returns the description of the connected application.
    /// - Throws: ``DriverError`` (notConnected, offline, ejected); errors of the storage.
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

    /// Returns the abilities of the connected application.
    /// - Throws: As ``applicationInfo()``.
    public func capabilities() async throws -> DriverCapabilities {
        DriverCapabilities(try await applicationInfo(), options: options)
    }

    /// Returns the device's total and free space, or `nil` if the storage doesn't report it.
    /// - Throws: Errors of the storage.
    public func space() async throws -> VolumeObject? {
        if isEnded { throw DriverError(.ejected) }
        let provider = staging.provider
        return try await folder.calls.run("asking for free memory") { try await provider.storageProperties() }
    }

    /// Returns the folder where documents are staged for this application.
    /// - Throws: ``DriverError`` (pathRejected) if the application names a folder that is not allowed.
    func documents(of info: ApplicationInfo) throws -> ProviderPath {
        let name = info.documents ?? options.documentsFolder
        return name.isEmpty ? staging.path : try path(of: name, below: staging.path)
    }

    /// Returns the path of a peer's `name` below `root`.
    /// - Throws: ``DriverError`` (pathRejected).
    func path(of name: String, below root: ProviderPath) throws -> ProviderPath {
        do { return try StagedName.bookPath(name, below: root) } catch let refusal as StagedName.Refusal {
            throw DriverError(.pathRejected, sentence: refusal.errorDescription, underlying: refusal)
        }
    }
}
