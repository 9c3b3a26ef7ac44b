import FileProviderCore
import Foundation
import ProviderDoubles
import Synchronization

/// A storage that breaks at one call, for tests that break everything everywhere: once, or for good as for a process
/// that died.
final class BreakingProvider: ForwardingProvider {
    static var type: String { "Breaking" }

    /// What happens at the call.
    enum Break: Sendable, CaseIterable {
        /// It fails and has done nothing; the next one works.
        case once
        /// It is done, and its answer is lost; the next one works.
        case lostReply
        /// It fails and has done nothing, and so does every call after it.
        case death
        /// It is done, and every call after it fails.
        case deathAfter
    }

    private struct State {
        var calls = 0
        var location = Int.max
        var kind = Break.once
        var isDead = false
    }

    let underlying: any FileProvider
    private let state = Mutex(State())

    init(_ base: any FileProvider) {
        underlying = base
    }

    /// Breaks at the call with this number, the first being 0, counted from now.
    func breakDown(at location: Int, kind: Break) {
        state.withLock { $0 = State(calls: 0, location: location, kind: kind, isDead: false) }
    }

    /// Works again, and for good.
    func mend() { state.withLock { $0 = State() } }

    /// Calls since the last break was arranged.
    var calls: Int { state.withLock { $0.calls } }
    /// Whether the call has come that breaks.
    var isBroken: Bool { state.withLock { $0.calls > $0.location } }
    /// Whether nothing works any more.
    var isDead: Bool { state.withLock { $0.isDead } }

    static let error = URLError(.networkConnectionLost)

    fileprivate func call<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let (fails, after): (Bool, Bool) = state.withLock { state in
            if state.isDead { return (true, false) }
            defer { state.calls += 1 }
            guard state.calls == state.location else { return (false, false) }
            switch state.kind {
            case .once: return (true, false)
            case .lostReply: return (false, true)
            case .death:
                state.isDead = true
                return (true, false)
            case .deathAfter:
                state.isDead = true
                return (false, true)
            }
        }
        if fails { throw Self.error }
        let value = try await body()
        if after { throw Self.error }
        return value
    }

    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
    {
        try await self.call(body)
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        BreakingReader(try await call { try await underlying.open(path: path) }, of: self)
    }
}

/// A file of a storage that breaks: each read is a call.
private final class BreakingReader: FileReader {
    private let base: any FileReader
    private let provider: BreakingProvider

    init(_ base: any FileReader, of provider: BreakingProvider) {
        self.base = base
        self.provider = provider
    }

    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }

    func attributes() async throws -> FileReaderAttributes { try await provider.call { try await base.attributes() } }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        try await provider.call { try await base.stream(part, into: sink) }
    }

    func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        try await provider.call { try await base.read(ranges) }
    }

    func writeSource() async throws -> any WriteSource { try await provider.call { try await base.writeSource() } }

    func close() async { await base.close() }
}
