import FileProviderCore
import Foundation
import Logging

/// Carries requests and listeners from other threads to a connection's thread, which starts at the first of them.
final class PostgresControl: Sendable {
    typealias Password = @Sendable () async throws -> String?
    typealias Start = @Sendable (PostgresControl, WakeEvent) throws -> Void

    private struct Listener: Sendable {
        var channel: String
        var stream: AsyncStream<String>.Continuation
    }

    private struct State: Sendable {
        var isClosed = false
        /// While the thread runs.
        var event: WakeEvent?
        var requests: [PostgresRequest] = []
        var next = 0
        var listeners: [Int: Listener] = [:]
        var nextListener = 0
        /// Channels with a listener that waits for its first notification.
        var fresh: Set<String> = []
        var generation = 0
        var enders: [CheckedContinuation<Void, Never>] = []
    }

    let configuration: PostgresConfiguration
    let errors: PostgresErrors
    let logger: Logger?
    private let password: Password?
    private let asking = TaskWait()
    private let start: Start
    private let state = LockedValue(State())

    init(_ configuration: PostgresConfiguration, password: Password?, logger: Logger?, start: @escaping Start) {
        self.configuration = configuration
        errors = configuration.errors
        self.password = password
        self.logger = logger
        self.start = start
    }

    // MARK: Other threads

    /// Leaves a request for the thread.
    ///
    /// - Throws: If the connection was closed, or the thread cannot start.
    func add(_ request: PostgresRequest) throws {
        try wake { $0.requests.append(request) }
    }

    /// - Returns: A stream that ends when the connection is closed or cannot start its thread.
    func listen(_ channel: String) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1000))
        do {
            let id = try wake { state in
                state.nextListener += 1
                state.listeners[state.nextListener] = Listener(channel: channel, stream: continuation)
                state.fresh.insert(channel)
                return state.nextListener
            }
            continuation.onTermination = { [weak self] _ in self?.forget(id) }
        } catch {
            logger?.warning(
                "PostgreSQL: no notifications of a channel.", metadata: ["error": "\(error.loggedSentence)"])
            continuation.finish()
        }
        return stream
    }

    private func forget(_ listener: Int) {
        let event = state.update { state in
            state.listeners[listener] = nil
            return state.event
        }
        event?.signal()
    }

    private func wake<Value: Sendable>(_ change: (inout State) -> Value) throws -> Value {
        let (value, event) = try state.update { state in
            if state.isClosed { throw errors.closed() }
            if let event = state.event { return (change(&state), event) }
            let event = try WakeEvent()
            // The thread's first look waits for this lock.
            try start(self, event)
            state.event = event
            return (change(&state), event)
        }
        event.signal()
        return value
    }

    /// Tells the thread to end the connection, and itself.
    func close() {
        state.update { $0.isClosed = true }
        interrupt()
    }

    /// Makes the thread look around; also from its wait for a password if it is to end.
    func interrupt() {
        if isClosed || TransportThread.isExiting { asking.cancel() }
        state.value.event?.signal()
    }

    /// Returns once the thread has closed the connection.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.update { state in
                if state.event != nil { state.enders.append(continuation) }
                return state.event == nil
            }
            if isOver { continuation.resume() }
        }
    }

    var generation: Int { state.value.generation }

    // MARK: The connection's thread

    var isClosed: Bool { state.value.isClosed }

    var hasRequests: Bool { state.update { $0.next < $0.requests.count } }

    /// - Returns: The next requests that a task waits for: one, and more up to so many statements and bytes.
    func take(statements: Int = .max, bytes: Int = .max) -> [PostgresRequest] {
        state.update { state in
            var taken: [PostgresRequest] = []
            var (count, size) = (0, 0)
            while state.next < state.requests.count, count < statements, size < bytes {
                let request = state.requests[state.next]
                state.next += 1
                if request.isAnswered { continue }
                count += request.statements.count
                size += request.size
                taken.append(request)
            }
            if state.next == state.requests.count || state.next > 1024 {
                state.requests.removeFirst(state.next)
                state.next = 0
            }
            return taken
        }
    }

    var channels: Set<String> { Set(state.value.listeners.values.map(\.channel)) }

    /// The channels to listen to, and those of them with a new listener.
    func takeChannels() -> (all: Set<String>, fresh: Set<String>) {
        state.update { state in
            defer { state.fresh = [] }
            return (Set(state.listeners.values.map(\.channel)), state.fresh)
        }
    }

    func notify(_ channel: String, _ payload: String) {
        let streams = state.value.listeners.values.filter { $0.channel == channel }.map(\.stream)
        for stream in streams { stream.yield(payload) }
    }

    func countConnection() {
        state.update { $0.generation += 1 }
    }

    /// Blocks until the password is there; nil if libpq is to find it.
    func askPassword() throws -> String? {
        guard let password else { return nil }
        do { return try asking.value(of: password) } catch {
            throw isClosed ? errors.closed() : error
        }
    }

    /// The thread is over: nothing waits for it any more.
    func end() {
        let (requests, listeners, enders) = state.update { state in
            let left = (Array(state.requests[state.next...]), state.listeners, state.enders)
            state.requests = []
            state.next = 0
            state.listeners = [:]
            state.enders = []
            state.event = nil
            return left
        }
        for request in requests { request.give(.failure(errors.closed())) }
        for listener in listeners.values { listener.stream.finish() }
        for ender in enders { ender.resume() }
    }
}
