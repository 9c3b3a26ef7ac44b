import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles

/// A storage in memory that counts its requests. Tests make it lose its connection, refuse logins or wait.
final class CountedStorage: ForwardingProvider, FixedReadCost {
    static let type = "Counted"

    struct State: Sendable {
        var listings = 0
        var attributes = 0
        /// The questions for its capabilities.
        var capabilities = 0
        var opened: [ProviderPath] = []
        var reads = 0
        var bytes: Int64 = 0
        /// The most files that were open at once.
        var mostOpen = 0
        var open = 0
        /// Files cannot be opened.
        var isAway = false
        /// Every login is refused.
        var isRefusing = false
        /// No connection is made.
        var isUnreachable = false
        var failedConnections = 0
        /// A listing waits until two more files were opened.
        var isSlow = false
        /// Every listing waits.
        var isHeld = false
        /// Files are opened, but not handed out.
        var isOpeningHeld = false
        /// The files that are worth transferring at once.
        var concurrentTransfers: Int?
        /// Folders that may not be listed.
        var locked: Set<ProviderPath> = []
        /// Folders that are listed, but not found themselves.
        var lost: Set<ProviderPath> = []
        /// The requests for their attributes.
        var lookedForLost = 0
        /// Files whose requests the storage cancels.
        var cancelled: Set<ProviderPath> = []
        /// Reads after this many find that the file has vanished.
        var readLimit = Int.max
        var vanishedReads = 0
        /// Files opened after this many wait until they are cancelled.
        var openLimit = Int.max
    }

    let memory = MemoryFileProvider()
    let state = LockedValue(State())
    var underlying: any FileProvider { memory }
    let readCost: Capabilities.ReadCost

    init(cost: Capabilities.ReadCost = .local) {
        readCost = cost
    }

    func capabilities() async throws -> Capabilities {
        state.update { $0.capabilities += 1 }
        var capabilities = try await memory.capabilities()
        capabilities.readCost = readCost
        capabilities.concurrentTransfers = state.value.concurrentTransfers
        return capabilities
    }

    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
    {
        if state.value.isRefusing {
            throw FileError.make(
                URLError.Code.userAuthenticationRequired, url: nil, sentence: "The login was refused.")
        }
        if state.value.isUnreachable {
            state.update { $0.failedConnections += 1 }
            throw FileError.make(URLError.Code.cannotConnectToHost, url: nil, sentence: "The server is away.")
        }
        if call != "open", state.value.lost.contains(where: { $0 == path || path.isBelow($0) }) {
            if call == "attributes" { state.update { $0.lookedForLost += 1 } }
            throw FileError.make(.fileReadNoSuchFile, path: path)
        }
        switch call {
        case "list":
            let opened = state.update { state in
                state.listings += 1
                return state.opened.count
            }
            if state.value.locked.contains(path) { throw FileError.make(.fileReadNoPermission, path: path) }
            if state.value.isHeld { try await eventually { !state.value.isHeld } }
            if state.value.isSlow {
                try await eventually { state.value.opened.count >= opened + 2 || !state.value.isSlow }
            }
        case "attributes": state.update { $0.attributes += 1 }
        default: break
        }
        return try await body()
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        let reader = try await pass("open", path) { try await memory.open(path: path) }
        let (isAway, isOver) = state.update { state in
            state.opened.append(path)
            return (state.isAway, state.opened.count > state.openLimit)
        }
        if isAway {
            throw FileError.make(URLError.Code.networkConnectionLost, url: nil, sentence: "The connection was lost.")
        }
        if state.value.cancelled.contains(path) {
            throw FileError.make(URLError.Code.cancelled, url: nil, sentence: "The request was cancelled.")
        }
        if isOver {
            let (never, end) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            end.finish()
            throw CancellationError()
        }
        state.update { state in
            state.open += 1
            state.mostOpen = max(state.mostOpen, state.open)
        }
        if state.value.isOpeningHeld { try await eventually { !state.value.isOpeningHeld } }
        return CountedReader(reader, cost: readCost, state: state)
    }
}

private final class CountedReader: FileReader {
    private let base: any FileReader
    let cost: Capabilities.ReadCost
    private let state: LockedValue<CountedStorage.State>
    private let isClosed = LockedValue(false)

    init(_ base: any FileReader, cost: Capabilities.ReadCost, state: LockedValue<CountedStorage.State>) {
        self.base = base
        self.cost = cost
        self.state = state
    }

    var path: ProviderPath { base.path }
    func attributes() async throws -> FileReaderAttributes { try await base.attributes() }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let isGone = state.update { state in
            if state.reads < state.readLimit { return false }
            state.vanishedReads += 1
            return true
        }
        if isGone { throw FileError.make(.fileReadNoSuchFile, path: path) }
        let extent = try await base.stream(part, into: sink)
        state.update { state in
            state.reads += 1
            state.bytes += extent.count
        }
        return extent
    }

    func close() async {
        let isFirst = isClosed.update { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { state.update { $0.open -= 1 } }
        await base.close()
    }
}
