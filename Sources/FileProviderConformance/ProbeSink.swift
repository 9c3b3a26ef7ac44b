import FileProviderCore
import Foundation
import Synchronization

/// A sink that records how it is called.
final class ProbeSink: ByteSink {
    /// The sink's reaction.
    enum Manner: Sendable {
        /// Always ready.
        case prompt
        /// Asks for a pause after every piece.
        case slow
        /// Throws a ``DeliberateFailure`` at the first bytes.
        case failing
        /// Accepts one piece and no more, until ``released`` fires.
        case stalling
    }

    private struct State {
        var begins: [FileExtent] = []
        var data = Data()
        var isWaiting = false
        var hasFailed = false
        var fault: String?

        mutating func note(_ broken: String) { fault = fault ?? broken }
    }

    private let manner: Manner
    private let state = Mutex(State())
    /// Fires at the first bytes.
    let reached = Signal()
    let released = Signal()

    init(_ manner: Manner = .prompt) {
        self.manner = manner
    }

    var data: Data { state.withLock { $0.data } }
    var begins: [FileExtent] { state.withLock { $0.begins } }
    /// The first rule that the caller broke.
    var fault: String? { state.withLock { $0.fault } }

    func begin(_ extent: FileExtent) throws {
        state.withLock { state in
            if !state.data.isEmpty { state.note("begin was called after the first bytes") }
            state.begins.append(extent)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let flow: FlowState = try state.withLock { state in
            if state.isWaiting { state.note("bytes arrived before whenReady had called back") }
            if state.hasFailed { state.note("bytes arrived after the sink had thrown") }
            if manner == .failing {
                state.hasFailed = true
                throw DeliberateFailure()
            }
            state.data.append(contentsOf: bytes)
            state.isWaiting = manner != .prompt
            return manner == .prompt ? .ready : .wait
        }
        reached.fire()
        return flow
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        let goOn: @Sendable () -> Void = { [self] in
            state.withLock { $0.isWaiting = false }
            resume()
        }
        switch manner {
        case .prompt, .failing: goOn()
        case .stalling: released.then(goOn)
        case .slow:
            Task {
                try? await Task.sleep(for: .milliseconds(2))
                goOn()
            }
        }
    }
}

extension ProbeSink {
    /// Expects the sink to have received exactly `expected`, announced once and by the rules.
    func expectDelivery(of expected: Data, extent: FileExtent, offset: Int64, size: Int64, what: String) throws {
        if let fault { throw Unmet("\(what): expected the sink to be called by its rules, but \(fault).") }
        try expect(
            data == expected,
            "\(what): expected \(expected.count) bytes from \(offset), but \(difference(data, from: expected)).")
        try expect(
            extent.count == Int64(expected.count) && extent.size == size
                && (expected.isEmpty || extent.offset == offset),
            "\(what): expected an extent of \(expected.count) bytes from \(offset) of \(size), but it was \(extent).")
        let begins = begins
        if expected.isEmpty {
            return try expect(
                begins.count <= 1, "\(what): expected begin at most once, but it was called \(begins.count) times.")
        }
        try expect(
            begins.count == 1,
            "\(what): expected begin once before the first byte, but it was called \(begins.count) times.")
        try expect(begins.first == extent, "\(what): expected begin to announce \(extent), but it said \(begins).")
    }
}
