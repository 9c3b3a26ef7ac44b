import FileProviderCore
import Foundation
import Synchronization

/// The checkpoints from which the large deflated entries of one archive can be unpacked: found during reads, and kept
/// in a store if there is one.
final class ArchiveCheckpoints: Sendable {
    /// The most bytes of all checkpoints of an archive. Over it, the entry with the most checkpoints loses every other
    /// one.
    static let capacity = 16 << 20
    /// A smaller entry is unpacked from its start within some milliseconds.
    static let minEntrySize: Int64 = 2 << 20
    /// The most passes that wait for a reader to continue them; each takes about 110 KiB.
    private static let maxIdle = 4

    fileprivate struct KnownEntry: Sendable {
        let entry: ZIPEntry
        var index = CheckpointIndex()
        var key: String?
        /// Whether the index came from the store.
        var isLoaded = false
        /// Whether the entry or its stored checkpoints turned out to be damaged: nothing more is stored then.
        var isSpoiled = false
        /// How many checkpoints were added since the index was loaded or saved.
        var unsaved = 0
    }

    fileprivate struct State: Sendable {
        var known: [Int: KnownEntry] = [:]
        var loads: [Int: Task<Void, Never>] = [:]
        var idle: [InflatingPass] = []
        var lastSave: Task<Void, Never>?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let store: (any CheckpointStore)?
    private let reader: CachedFileReader
    private let directoryChecksum: UInt32

    init(store: (any CheckpointStore)?, reader: CachedFileReader, directoryChecksum: UInt32) {
        self.store = store
        self.reader = reader
        self.directoryChecksum = directoryChecksum
    }

    func covers(_ entry: ZIPEntry) -> Bool { entry.isCompressed && entry.uncompressedSize >= Self.minEntrySize }

    // MARK: Looking up

    func last(upTo offset: Int64, of entry: ZIPEntry) -> Checkpoint? {
        state.withLock { $0.known[entry.index]?.index.last(upTo: offset) }
    }

    func first(notBefore end: Int64, of entry: ZIPEntry) -> Checkpoint? {
        state.withLock { $0.known[entry.index]?.index.first(notBefore: end) }
    }

    /// Returns whether the checkpoints of `entry` are from the store, where they may have been damaged.
    func areLoaded(of entry: ZIPEntry) -> Bool { state.withLock { $0.known[entry.index]?.isLoaded ?? false } }

    // MARK: Adding

    func wants(_ position: InflatingPass.Position, of entry: ZIPEntry) -> Bool {
        guard position.uncompressed < entry.uncompressedSize, position.compressed < entry.compressedSize else {
            return false
        }
        return state.withLock { state in
            let known = state.known[entry.index] ?? KnownEntry(entry: entry)
            if state.isClosed || known.isSpoiled { return false }
            return known.index.wants(compressed: position.compressed, uncompressed: position.uncompressed)
        }
    }

    func add(_ point: Checkpoint, of entry: ZIPEntry) {
        state.withLock { state in
            var known = state.known[entry.index] ?? KnownEntry(entry: entry)
            if state.isClosed || known.isSpoiled { return }
            let count = known.index.points.count
            known.index.add(point)
            known.unsaved += known.index.points.count - count
            state.known[entry.index] = known
            state.thin()
        }
    }

    // MARK: Passes that wait

    /// Returns a pass that stopped between `start` and `offset`, for the caller's exclusive use.
    func takeIdle(from start: Int64, upTo offset: Int64, of entry: ZIPEntry) -> InflatingPass? {
        state.withLock { state in
            let fitting = state.idle.indices.filter { index in
                let pass = state.idle[index]
                return pass.entry.index == entry.index
                    && (start...max(start, offset)).contains(pass.position.uncompressed)
            }
            let best = fitting.max { state.idle[$0].position.uncompressed < state.idle[$1].position.uncompressed }
            return best.map { state.idle.remove(at: $0) }
        }
    }

    /// Keeps a pass that has served its reader, for the next one.
    func keep(_ pass: InflatingPass) {
        guard pass.position.uncompressed < pass.entry.uncompressedSize else { return }
        state.withLock { state in
            if state.isClosed || state.known[pass.entry.index]?.isSpoiled == true { return }
            state.idle.append(pass)
            if state.idle.count > Self.maxIdle { state.idle.removeFirst() }
        }
    }

    // MARK: The store

    /// Loads the stored checkpoints of `entry`; the store is asked once.
    func load(_ entry: ZIPEntry) async {
        guard let store, covers(entry) else { return }
        let task = state.withLock { state in
            let task = state.loads[entry.index] ?? Task { await self.load(entry, from: store) }
            state.loads[entry.index] = task
            return task
        }
        await task.value
    }

    private func load(_ entry: ZIPEntry, from store: any CheckpointStore) async {
        guard let attributes = try? await reader.attributes() else { return }
        let key = CheckpointKey.make(for: entry, in: attributes, directoryChecksum: directoryChecksum)
        var known = KnownEntry(entry: entry, key: key)
        if let data = await store.load(key) {
            if let index = CheckpointIndex(data, key: key, entry: entry) {
                known.index = index
                known.isLoaded = true
            } else {
                await store.remove(key)
            }
        }
        state.withLock { state in
            if state.isClosed { return }
            state.known[entry.index] = known
            state.thin()
        }
    }

    /// Forgets all checkpoints of `entry`, here and in the store, and collects none until the archive is opened again:
    /// some data was damaged, and checkpoints found on the way may be wrong.
    func spoil(_ entry: ZIPEntry) {
        state.withLock { state in
            let key = state.known[entry.index]?.key
            state.known[entry.index] = KnownEntry(entry: entry, key: key, isSpoiled: true)
            state.idle.removeAll { $0.entry.index == entry.index }
            guard let store, let key, !state.isClosed else { return }
            state.lastSave = Task { [lastSave = state.lastSave] in
                await lastSave?.value
                await store.remove(key)
            }
        }
    }

    /// Schedules saving the checkpoints of `entry` if there are a quarter more than were saved, so that reading an
    /// entry bit by bit does not rewrite its index each time.
    func save(_ entry: ZIPEntry) { state.withLock { $0.save(entry.index, into: store, onlyIfMuch: true) } }

    /// Saves unsaved checkpoints and releases everything.
    func close() async {
        let saving = state.withLock { state in
            for index in state.known.keys { state.save(index, into: store, onlyIfMuch: false) }
            state.isClosed = true
            state.known = [:]
            state.idle = []
            return state.lastSave
        }
        await saving?.value
    }
}

extension ArchiveCheckpoints.State {
    /// Thins out checkpoints over the capacity.
    fileprivate mutating func thin() {
        while known.values.reduce(0, { $0 + $1.index.cost }) > ArchiveCheckpoints.capacity {
            guard let largest = known.max(by: { $0.value.index.cost < $1.value.index.cost })?.key else { return }
            known[largest]?.index.thin()
        }
    }

    /// Starts saving one entry's index, after saves under way, if it has new checkpoints.
    fileprivate mutating func save(_ index: Int, into store: (any CheckpointStore)?, onlyIfMuch: Bool) {
        guard let store, !isClosed, let found = known[index], let key = found.key else { return }
        guard found.unsaved >= (onlyIfMuch ? max(4, found.index.points.count / 4) : 1) else { return }
        known[index]?.unsaved = 0
        lastSave = Task { [lastSave] in
            await lastSave?.value
            await store.save(found.index.encoded(key: key, entry: found.entry), for: key)
        }
    }
}

/// The name under which a store keeps an entry's checkpoints.
enum CheckpointKey {
    /// Returns a name that changes with everything about the file or the entry: the file's size, its version in the
    /// storage, the archive's directory, and the entry's offset, sizes and checksum. The path of the file is not part
    /// of it: a copy elsewhere has the same name. ``CheckpointApproach`` detects another file that agrees in all of
    /// these.
    static func make(for entry: ZIPEntry, in file: FileReaderAttributes, directoryChecksum: UInt32) -> String {
        let numbers = [
            UInt64(bitPattern: file.size), file.validator.map(hash) ?? 0, UInt64(directoryChecksum),
            UInt64(bitPattern: entry.headerOffset),
            UInt64(entry.checksum), UInt64(bitPattern: entry.compressedSize),
            UInt64(bitPattern: entry.uncompressedSize),
        ]
        return numbers.map { String($0, radix: 36) }.joined(separator: "-")
    }

    /// FNV-1a, 64 bits. Two versions with one hash would have to agree in all the other numbers, too.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
