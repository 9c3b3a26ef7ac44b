package import FileProviderCore
package import Foundation
import ProviderDoubles

/// A storage that breaks as storages do: at a chosen call it is gone, or does what it is asked and loses the answer.
/// Its clock is its own.
///
/// Its disk is late: what was made there and not waited for is lost when the storage goes.
package final class UnreliableStorage: ForwardingProvider {
    package static let type = "Unreliable"
    package let underlying: any FileProvider
    private let nature: Nature
    private let state = LockedValue(State())

    /// What the storage is like, for good.
    package struct Nature: Sendable {
        /// Seconds that its clock is ahead of the others'.
        package var skew = 0.0
        /// The step of its modification times; 0 for the underlying storage's own.
        package var precision = 0.0
        /// The step of the other side's times. What happens within it is of one time there, and two versions of one
        /// size are not told apart.
        package var otherPrecision = 0.0
        /// Whether it takes modification times with a write.
        package var keepsDates = true
        /// Whether it gives tags.
        package var hasTags = true
        /// Whether writes get times of its own clock, which goes on by itself; else those of the machine.
        package var hasOwnClock = true
        package init() {}
    }

    /// What happens at a call.
    package enum Fault: Sendable {
        /// From here on nothing works; a write in place leaves half of its bytes, and what the disk did not have yet
        /// was never there.
        case crash
        /// The call is carried out, and the connection is lost.
        case lostReply
        /// The call fails, and only it.
        case failure
        /// Somebody else does something right before.
        case meanwhile(@Sendable () async throws -> Void)
    }

    private struct State: Sendable {
        var now = 1_700_000_000.0
        var calls = 0
        var faults: [Int: Fault] = [:]
        var isGone = false
        /// What was made, and is not on the disk yet.
        var late: [ProviderPath] = []
    }

    package init(_ underlying: any FileProvider, nature: Nature = Nature()) {
        self.underlying = underlying
        self.nature = nature
    }

    /// Sets what happens at which of the next calls, counted from 0, and makes the storage work again.
    package func arm(_ faults: [Int: Fault]) {
        state.update { state in (state.calls, state.faults, state.isGone, state.late) = (0, faults, false, []) }
    }

    /// Lets time go by, more than the step of either clock.
    package func tick() -> Date {
        state.update { state in
            state.now += max(nature.precision, nature.otherPrecision, 0.001) * 1.5
            return Date(timeIntervalSince1970: state.now + nature.skew)
        }
    }

    /// `date` as this storage keeps it.
    package func stepped(_ date: Date) -> Date {
        if nature.precision == 0 { return date }
        return Date(
            timeIntervalSince1970: (date.timeIntervalSince1970 / nature.precision).rounded(.down) * nature.precision)
    }

    package func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        if nature.precision > 0 { capabilities.timePrecision = nature.precision }
        if !nature.keepsDates { capabilities[.settingModificationDate] = .unavailable }
        if !nature.hasTags {
            (capabilities[.entryTags], capabilities[.conditionalWriting]) = (.unavailable, .unavailable)
        }
        return capabilities
    }

    package func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value)
        async throws -> Value
    {
        let (fault, isGone) = state.update { state in
            defer { state.calls += 1 }
            return (state.faults[state.calls], state.isGone)
        }
        if isGone { throw URLError(.networkConnectionLost) }
        switch fault {
        case nil: return try await body()
        case .crash:
            let late = state.update { state in
                state.isGone = true
                defer { state.late = [] }
                return state.late
            }
            for path in late.reversed() { try? await underlying.removeItem(path: path, recursive: false) }
            throw URLError(.networkConnectionLost)
        case .lostReply:
            _ = try await body()
            throw URLError(.networkConnectionLost)
        case .failure:
            throw FileError.make(.fileReadUnknown, path: path, sentence: "The storage has a hiccup at “\(path)”.")
        case .meanwhile(let work):
            // Between the last look at a place and the rename that puts a new version there lies nothing else.
            if call != "move" || !TemporaryName.matches(path.name) {
                // People do not stop halfway because the run gives its call up.
                try await Task { try await work() }.value
            }
            return try await body()
        }
    }

    package func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        seen(try await pass("attributes", path) { try await underlying.attributesOfItem(path: path) })
    }

    package func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        try await pass("list", path) {
            try await underlying.contentsOfDirectory(path: path) { try await page($0.map(seen)) }
        }
    }

    package func createFolder(path: ProviderPath) async throws {
        try await pass("folder", path) { try await underlying.createFolder(path: path) }
        madeLate(path)
    }

    fileprivate func madeLate(_ path: ProviderPath) { state.update { if !$0.isGone { $0.late.append(path) } } }

    package func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        var options = options
        if nature.hasOwnClock, options.modificationDate == nil || !nature.keepsDates {
            options.modificationDate = tick()
        }
        options.modificationDate = options.modificationDate.map(stepped)
        if !nature.hasTags { options.ifMatch = nil }
        do {
            return seen(
                try await pass("write", path) {
                    try await underlying.writeContents(path: path, from: source, options: options)
                })
        } catch {
            if options.placement == .inPlace, state.value.isGone, let bytes = try? await source.bytes(from: 0).next() {
                try await underlying.writeContents(path: path, contents: bytes.prefix(bytes.count / 2), overwrite: true)
            }
            throw error
        }
    }

    @Sendable private func seen(_ item: FileObject) -> FileObject {
        var item = item
        if !nature.hasTags { item.entryTag = nil }
        return item
    }
}

extension UnreliableStorage: FileProviderSynchronization {
    package var unsynchronized: any FileProvider { Late(self) }

    package func synchronize(path: ProviderPath) async throws {
        let late = state.value.late
        try await pass("synchronize", path) {}
        state.update { $0.late.removeAll(where: late.contains) }
    }

    /// The storage, with files that are not on the disk at once.
    private final class Late: ForwardingProvider {
        static let type = "Late"
        private let storage: UnreliableStorage
        var underlying: any FileProvider { storage }

        init(_ storage: UnreliableStorage) {
            self.storage = storage
        }

        func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
            async throws
        {
            try await storage.copyItem(path: path, to: destination, overwrite: overwrite, progress: progress)
            storage.madeLate(destination)
        }

        func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
            -> FileObject
        {
            let written = try await storage.writeContents(path: path, from: source, options: options)
            storage.madeLate(path)
            return written
        }
    }
}
