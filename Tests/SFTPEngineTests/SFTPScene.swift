import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Synchronization
import Testing

@testable import SFTPEngine

/// Sessions with the double; at their end it has seen nothing that is forbidden, and no handle is left open.
func withSessions(
    _ double: SFTPDouble, _ count: Int = 1, patience: Duration = .seconds(60),
    _ body: ([SFTPSession]) async throws -> Void
) async throws {
    var sessions: [SFTPSession] = []
    for _ in 0..<count { sessions.append(try await SFTPSession.open(over: double.channel(), patience: patience)) }
    try await body(sessions)
    // What is abandoned is closed as soon as the server has answered.
    try await eventually { sessions.allSatisfy { $0.ending != nil || !$0.isWaiting } }
    for session in sessions { session.end() }
    try await eventually { double.counts.openChannels == 0 }
    #expect(double.violations == [])
    #expect(double.counts.leakedHandles == 0)
}

/// One session; see above.
func withSession(_ double: SFTPDouble, patience: Duration = .seconds(60), _ body: (SFTPSession) async throws -> Void)
    async throws
{
    try await withSessions(double, patience: patience) { try await body($0[0]) }
}

extension SFTPSession {
    /// The handle that OPEN gives.
    func handle(_ path: String, _ flags: SFTPRequest.OpenFlags = .read) async throws -> SFTPHandle {
        guard case .handle(let handle) = try await send(.open(Array(path.utf8), flags)) else {
            throw CancellationError()
        }
        return handle
    }

    /// The size that LSTAT tells.
    func size(_ path: String) async throws -> UInt64? {
        guard case .attributes(let attributes) = try await send(.lstat(Array(path.utf8))) else { return nil }
        return attributes.size
    }

    /// Requests without an answer.
    var unanswered: Int { state.withLock { $0.pending.count } }
}

/// The code of the error that `body` throws; nil for another error, and where it throws none.
func code(_ body: () async throws -> Void) async -> URLError.Code? {
    do { try await body() } catch { return (error as? URLError)?.code }
    return nil
}

/// When a sink or a source that asks to be waited for goes on.
enum Readiness {
    case atOnce
    case later
    /// Not before `open()`.
    case whenOpened
}

/// What a sink and a source that wait have in common.
///
/// Unchecked: `lock` protects everything.
class Gatekeeper: @unchecked Sendable {
    struct Failure: Error {}

    let lock = NSLock()
    private let readiness: Readiness
    private var waiting: [@Sendable () -> Void] = []
    private var isOpened = false
    private var calls = 0
    private let every: Int

    init(every: Int, _ readiness: Readiness) {
        self.every = every
        self.readiness = readiness
    }

    /// Whether this call is one that waits.
    func waits() -> Bool {
        calls += 1
        return every > 0 && calls % every == 0 && !(isOpened && readiness == .whenOpened)
    }

    /// Whether somebody waits for `open()`.
    var isWaitedFor: Bool { lock.withLock { !waiting.isEmpty } }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        switch readiness {
        case .atOnce: resume()
        case .later: DispatchQueue.global().async(execute: resume)
        case .whenOpened:
            let isOpened = lock.withLock {
                if !self.isOpened { waiting.append(resume) }
                return self.isOpened
            }
            if isOpened { resume() }
        }
    }

    func open() {
        let waiting = lock.withLock {
            isOpened = true
            defer { self.waiting = [] }
            return self.waiting
        }
        for resume in waiting { resume() }
    }
}

/// Takes the bytes of ``SFTPDouble/pattern(_:)``, from an offset on.
final class PatternSink: Gatekeeper, ByteSink, @unchecked Sendable {
    private let start: Int
    private let failsAt: Int
    private var taken = 0
    private var isRight = true

    init(from start: Int = 0, waitsEvery every: Int = 0, _ readiness: Readiness = .atOnce, failsAt: Int = .max) {
        self.start = start
        self.failsAt = failsAt
        super.init(every: every, readiness)
    }

    var count: Int { lock.withLock { taken } }

    /// Whether it is the pattern.
    var isPattern: Bool { lock.withLock { isRight } }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        try lock.withLock {
            if taken + bytes.count > failsAt { throw Failure() }
            let expected = SFTPDouble.pattern(start + taken..<start + taken + bytes.count)
            isRight = isRight && expected == Data(bytes)
            taken += bytes.count
            return waits() ? .wait : .ready
        }
    }
}

/// Gives the bytes of ``SFTPDouble/pattern(_:)``.
final class PatternSource: Gatekeeper, ByteSource, @unchecked Sendable {
    private let size: Int
    private let piece: Int
    private let failsAt: Int
    private var given = 0
    private var hasWaited = false

    init(_ size: Int, piece: Int = .max, waitsEvery every: Int = 0, readiness: Readiness = .atOnce, failsAt: Int = .max)
    {
        self.size = size
        self.piece = piece
        self.failsAt = failsAt
        super.init(every: every, readiness)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
        try lock.withLock {
            if given >= failsAt { throw Failure() }
            if waits() { return .wait }
            let count = min(buffer.count, size - given, piece)
            if count == 0 { return .end }
            SFTPDouble.pattern(given..<given + count).withUnsafeBytes { buffer.copyMemory(from: $0) }
            given += count
            return .bytes(count)
        }
    }
}
