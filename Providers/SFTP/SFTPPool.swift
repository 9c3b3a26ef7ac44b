import FileProviderCore
import Foundation
import SFTPEngine

/// Keeps the sessions: one for requests and small files, and lanes beside it for large ones, which requests do not have to wait behind.
final class SFTPPool: Sendable {
    private struct State {
        var links: [Int: Task<any SFTPLink, any Error>] = [:]
        var sessions: [Int: Task<SFTPSession, any Error>] = [:]
        /// Lanes that the server did not give: it takes no more channels.
        var refused: Set<Int> = []
    }

    /// The session of requests; lanes are 1 and more.
    static let requests = 0

    private let state = Locked(State())
    private let connections: Int
    private let patience: Duration
    private let connect: @Sendable () async throws -> any SFTPLink
    /// Lanes that are worth asking for.
    let lanes: ClosedRange<Int>

    /// - Parameters:
    ///   - connections: At most; lanes go to them in turn.
    ///   - channels: Lanes on each.
    init(
        connections: Int, channels: Int, patience: Duration, connect: @escaping @Sendable () async throws -> any SFTPLink
    ) {
        self.connections = max(1, connections)
        self.patience = patience
        self.connect = connect
        lanes = 1...max(1, self.connections * channels)
    }

    deinit {
        closeAll()
    }

    /// The session for requests.
    func session() async throws -> SFTPSession { try await session(Self.requests) }

    /// The lane that large files take first; the session of requests where the server gives no other.
    func firstLane() async throws -> SFTPSession {
        guard !state.value.refused.contains(1) else { return try await session() }
        do { return try await session(1) } catch let error where !error.isCancellation {
            // Requests tell better what is wrong, unless it was the number of channels.
            let session = try await session()
            state.update { _ = $0.refused.insert(1) }
            return session
        }
    }

    /// A further lane; nil where the server gives no more.
    func lane(_ number: Int) async -> SFTPSession? {
        if state.value.refused.contains(number) { return nil }
        do { return try await session(number) } catch {
            if !error.isCancellation { state.update { _ = $0.refused.insert(number) } }
            return nil
        }
    }

    /// A link that is there, or a new one.
    func link() async throws -> any SFTPLink { try await link(0) }

    /// Ends everything; what is asked for later begins anew.
    func closeAll() {
        let all = state.update { state in
            defer { state = State() }
            return state
        }
        for task in all.sessions.values {
            task.cancel()
            Task { try? await task.value.end() }
        }
        for task in all.links.values {
            task.cancel()
            Task { try? await task.value.close() }
        }
    }

    // MARK: Made once, waited for by all

    private func session(_ number: Int) async throws -> SFTPSession {
        while true {
            let task = state.update { state in
                if let task = state.sessions[number] { return task }
                let task = Task { try await self.open(number) }
                state.sessions[number] = task
                return task
            }
            do {
                let session = try await task.sharedValue()
                if session.ending == nil { return session }
                forgetSession(number, task)
            } catch {
                if Task.isCancelled { throw error }
                forgetSession(number, task)
                // Ended by ``closeAll()``, not by whoever waits here.
                throw error is CancellationError ? URLError(.cancelled) : error
            }
        }
    }

    private func open(_ number: Int) async throws -> SFTPSession {
        // The first lane shares the connection of the requests: another connection takes a login.
        let index = number == Self.requests ? 0 : (number - 1) % connections
        let channel: any ByteChannel
        do { channel = try await link(index).channel() } catch let error where error.isTransient {
            // The connection was lost while nobody used it.
            let lost = state.update { $0.links.removeValue(forKey: index) }
            try? await lost?.value.close()
            channel = try await link(index).channel()
        }
        return try await SFTPSession.open(over: channel, patience: patience)
    }

    private func link(_ index: Int) async throws -> any SFTPLink {
        let task = state.update { state in
            if let task = state.links[index] { return task }
            let connect = connect
            let task = Task { try await connect() }
            state.links[index] = task
            return task
        }
        do { return try await task.sharedValue() } catch {
            if !Task.isCancelled { state.update { if $0.links[index] == task { $0.links[index] = nil } } }
            throw error
        }
    }

    private func forgetSession(_ number: Int, _ task: Task<SFTPSession, any Error>) {
        state.update { if $0.sessions[number] == task { $0.sessions[number] = nil } }
    }
}
