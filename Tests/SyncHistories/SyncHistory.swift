package import FileProviderCore
package import Foundation
package import ProviderDoubles
import Sync

/// Numbers that follow from a seed (SplitMix64), so that a history can be told again.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(_ seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    mutating func chance(_ one: Int, in many: Int) -> Bool { Int.random(in: 0..<many, using: &self) < one }
}

/// Two folders that people and machines do things to, and that a sync brings in step after each round.
///
/// What has to come of it follows from the three trees at the start of a round by a model of a few lines, which knows
/// nothing of how the sync works.
package final class SyncHistory {
    /// Files by path, with their content.
    private typealias Tree = [ProviderPath: String]

    private var numbers: SeededNumbers
    private let folders: Sides
    private let options: SyncOptions
    private let state: URL
    private let hasUniqueSizes: Bool
    private let blind: Blind?
    /// Copies of the state, one of which takes its place now and then; nil in histories in which it is always the last.
    private var copies: StateCopies?
    /// Whether the next run begins with an older state; the history then passes `isOlder`.
    private var isStateOlder = false
    /// Whether a run of this round had one.
    private var hasOlderState = false
    private var contents = 0
    private var log: [String] = []
    /// The contents of earlier rounds, some of which an older state knows.
    private var known: Set<String> = []
    /// How often people replaced or removed a content themselves.
    private let destroyed = LockedValue<[String: Int]>([:])
    /// What people finished writing, or brought back, after a round's first look.
    private let written = LockedValue<[String]>([])
    /// Where people moved files and folders to in this round, or brought files back: another version than both sides
    /// had, also where its content is the same.
    private let arrivals = LockedValue<[Arrival]>([])
    /// What people threw away, and may bring back as it was.
    private let thrown = LockedValue<[ThrownError]>([])

    /// Whether a run of this round lost its notes, also that it was about to act: then nothing comes back that it may
    /// have acted on.
    private var hasLostNotes = false

    private struct Arrival: Sendable {
        let side: Int
        let path: ProviderPath
    }

    private struct ThrownError: Sendable {
        let side: Int
        let path: ProviderPath
        let aside: ProviderPath
        let texts: [String]
    }

    /// A side, 0 or 1, that is a ``BlindStorage``.
    package typealias Blind = (side: Int, kind: BlindStorage.Kind)

    /// The two storages and where in them the folders lie.
    package struct Sides: Sendable {
        package let storages: [UnreliableStorage]
        package let path: [ProviderPath]
        package init(
            _ one: UnreliableStorage, _ onePath: ProviderPath, _ other: UnreliableStorage, _ otherPath: ProviderPath
        ) {
            storages = [one, other]
            path = [onePath, otherPath]
        }
    }

    /// What should not have happened.
    package struct Violation: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameters:
    ///   - state: A file for the sync's state, which does not exist yet.
    ///   - hasUniqueSizes: Whether no two contents are of one length: for storages whose times are coarse and real.
    ///   - blind: The side that takes some names for one. Those come then, of which it holds one.
    ///   - losesStates: Whether runs go on with older states, or without one.
    package init(
        seed: UInt64, folders: Sides, state: URL, hasUniqueSizes: Bool = false, blind: Blind? = nil,
        losesStates: Bool = false
    ) {
        numbers = SeededNumbers(seed)
        self.folders = folders
        self.state = state
        self.hasUniqueSizes = hasUniqueSizes
        self.blind = blind
        copies = losesStates ? StateCopies(of: state) : nil
        var options = SyncOptions(direction: numbers.chance(1, in: 4) ? .mirror : .twoWay)
        options.deletes = true
        options.removalLimit = .share(1)
        // Two people may write at the same tick of a coarse clock.
        options.comparesContent = true
        options.keepsReplaced = numbers.chance(1, in: 2)
        self.options = options
    }

    /// Goes through `rounds` rounds.
    ///
    /// - Throws: ``Violation`` with what happened so far.
    package func run(rounds: Int) async throws {
        var base: Tree? = [:]
        for round in 0..<rounds {
            log.append("-- round \(round)")
            hasOlderState = false
            arrivals.update { $0 = [] }
            if round == 0, numbers.chance(1, in: 2) { base = nil }  // Two folders that were filled before they met.
            for _ in 0..<Int.random(in: 0...6, using: &numbers) {
                try await act(on: Int.random(in: 0...1, using: &numbers))
            }
            let before = [try await tree(0), try await tree(1)]
            let texts = try await texts()
            written.update { $0 = [] }
            hasLostNotes = false
            var hasMeanwhile = try await breakRuns()
            for storage in folders.storages { storage.arm([:]) }
            if numbers.chance(1, in: 3) {
                hasMeanwhile = true
                for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                    try await act(on: Int.random(in: 0...1, using: &numbers))
                }
            }
            let skipped = try await finish(isFirst: round == 0)
            let after = [try await tree(0), try await tree(1)]
            try checkAlike(after, skipped: skipped)
            try await checkTexts(texts, base: base, trees: before)
            if !hasMeanwhile, blind == nil, let base {
                if hasOlderState {
                    try checkKept(before, after[0])
                } else if let expected = expected(base, before) {
                    try check(base, before, expected, after[0])
                }
            }
            for tree in before + after { known.formUnion(tree.values) }
            known.formUnion(thrown.value.flatMap(\.texts))
            base = after[0].merging(after[1]) { one, _ in one }
        }
    }

    // MARK: People

    /// Somebody does something to one side.
    private func act(on side: Int) async throws {
        let action = try await plannedAction(on: side)
        try await action()
    }

    private func plannedAction(on side: Int, isDuringRun: Bool = false) async throws
        -> @Sendable () async throws -> Void
    {
        let storage = folders.storages[side]
        let provider = storage.underlying
        let root = folders.path[side]
        let files = try await tree(side).keys.sorted()
        let date = storage.tick()
        let (destroyed, written, thrown, arrivals) = (destroyed, written, thrown, arrivals)
        @Sendable func count(_ texts: [String], _ change: Int) {
            destroyed.update { counts in for text in texts { counts[text, default: 0] += change } }
        }
        // First out of the way, so that a run that goes on meanwhile puts nothing there that would go unseen.
        @Sendable func destroy(_ path: ProviderPath) async throws {
            let aside = try TemporaryName.makeAside(beside: path)
            try await provider.moveItem(path: path, to: aside)
            count(try await Self.contents(of: aside, in: provider), 1)
            try await provider.removeItem(path: aside)
        }
        @Sendable func move(_ path: ProviderPath, to target: ProviderPath) async throws {
            try await provider.moveItem(path: path, to: root.appending(target))
            arrivals.update { $0.append(Arrival(side: side, path: target)) }
        }
        let choice = Int.random(in: 0..<13, using: &numbers)
        // With `isOlder`, the run keeps items that come back.
        if choice >= 11, !hasLostNotes || copies != nil,
            let item = thrown.value.filter({ $0.side == side }).randomElement(using: &numbers)
        {
            log.append("side \(side) brings back \(item.path)")
            return {
                try await Self.tolerant {
                    try await provider.createFolderWithParents(path: root.appending(item.path).parent ?? root)
                    try await move(item.aside, to: item.path)
                    count(item.texts, -1)
                    written.update { $0 += item.texts }
                    thrown.update { $0.removeAll { $0.aside == item.aside } }
                }
            }
        }
        if files.isEmpty || choice < 4 {
            let path =
                try choice < 2 || files.isEmpty ? randomPath() : files.randomElement(using: &numbers) ?? randomPath()
            let text = newContent()
            log.append("side \(side) writes \(path): \(text.prefix(8))")
            return {
                let child = root.appending(path)
                if isDuringRun {
                    do { try await destroy(child) } catch let error where error.isNoSuchFile {}
                } else {
                    count(try await Self.contents(of: child, in: provider), 1)
                }
                if try await Self.write(text, to: child, of: provider, storage, date, overwrite: !isDuringRun) {
                    written.update { $0.append(text) }
                }
            }
        }
        let file = try files.randomElement(using: &numbers) ?? randomPath()
        let folder = try file.components.dropLast().first.map { try ProviderPath(bytes: $0) }
        switch (choice, folder) {
        case (4...5, _):
            log.append("side \(side) removes \(file)")
            return { try await Self.tolerant { try await destroy(root.appending(file)) } }
        case (10..., _):
            log.append("side \(side) throws \(file) away")
            // Not into a folder that may be removed.
            let aside = try TemporaryName.makeAside(beside: root.appending(nameBytes: Array("thrown".utf8)))
            return {
                try await Self.tolerant {
                    try await provider.moveItem(path: root.appending(file), to: aside)
                    let texts = try await Self.contents(of: aside, in: provider)
                    count(texts, 1)
                    thrown.update { $0.append(ThrownError(side: side, path: file, aside: aside, texts: texts)) }
                }
            }
        case (6, let folder?):
            log.append("side \(side) removes \(folder)/")
            return { try await Self.tolerant { try await destroy(root.appending(folder)) } }
        case (7, let folder?):
            let target = try ProviderPath("d\(Int.random(in: 0..<6, using: &numbers))")
            log.append("side \(side) moves \(folder)/ to \(target)/")
            return { try await Self.tolerant { try await move(root.appending(folder), to: target) } }
        default:
            let target = try randomPath()
            log.append("side \(side) moves \(file) to \(target)")
            return {
                try await Self.tolerant {
                    try await provider.createFolderWithParents(path: root.appending(target).parent ?? root)
                    try await move(root.appending(file), to: target)
                }
            }
        }
    }

    private static func write(
        _ text: String, to path: ProviderPath, of provider: any FileProvider, _ storage: UnreliableStorage,
        _ date: Date, overwrite: Bool
    ) async throws -> Bool {
        try await tolerant {
            try await provider.createFolderWithParents(path: path.parent ?? .root)
            let options = WriteOptions(overwrite: overwrite, modificationDate: storage.stepped(date))
            try await provider.writeContents(path: path, from: DataSource(Data(text.utf8)), options: options)
        }
    }

    /// The contents of a file, or of all files in a folder; none where nothing is.
    private static func contents(of path: ProviderPath, in provider: any FileProvider) async throws -> [String] {
        do {
            guard try await provider.attributesOfItem(path: path).isDirectory else {
                return [String(decoding: try await provider.contents(path: path), as: UTF8.self)]
            }
            let files = CollectedValues<String>()
            try await provider.walk(path: path) { item in
                // What a run puts there has another name by now.
                do {
                    if item.isRegularFile {
                        files.append(String(decoding: try await provider.contents(path: item.path), as: UTF8.self))
                    }
                } catch let error where error.isNoSuchFile {}
            }
            return files.values
        } catch let error as CocoaError where error.isNoSuchFile || error.code == .fileReadUnknown { return [] }
    }

    /// What people try may be impossible: a folder is in the way, or the item is gone by now.
    ///
    /// - Returns: Whether it was done.
    @discardableResult
    private static func tolerant(_ body: () async throws -> Void) async throws -> Bool {
        do { try await body() } catch let error where error is CocoaError && !error.isCancellation { return false }
        return true
    }

    private func randomPath() throws -> ProviderPath {
        let path = randomName()
        guard let blind else { return try ProviderPath(path) }
        let isOther = numbers.chance(1, in: 3)
        if blind.kind == .inCase { return try ProviderPath(isOther ? path.uppercased() : path) }
        let name = path.replacingOccurrences(of: "f", with: "é").replacingOccurrences(of: "d", with: "ö")
        return try ProviderPath(isOther ? name.decomposedStringWithCanonicalMapping : name)
    }

    private func randomName() -> String {
        let name = "f\(Int.random(in: 0..<5, using: &numbers))"
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: return name
        case 1, 2: return "d\(Int.random(in: 0..<3, using: &numbers))/\(name)"
        default: return "d\(Int.random(in: 0..<3, using: &numbers))/e/\(name)"
        }
    }

    private func newContent() -> String {
        contents += 1
        let length = hasUniqueSizes ? contents : Int.random(in: 0...2, using: &numbers)
        return "text \(contents) " + String(repeating: ".", count: length)
    }

    // MARK: Machines

    private func sync() async throws -> FolderSyncReport {
        let isOlder = isStateOlder
        isStateOlder = false
        let sync = try await FolderSync(
            SyncFolder(ProviderLocation(provider: folders.storages[0], path: folders.path[0]), label: "one"),
            SyncFolder(ProviderLocation(provider: folders.storages[1], path: folders.path[1]), label: "two"),
            state: state,
            options: options,
            isOlder: isOlder)
        do {
            let report = try await sync.run()
            try await sync.close()
            try copies?.keep()
            return report
        } catch {
            try await sync.close()
            try copies?.keep()
            throw error
        }
    }

    /// Sets the state back now and then.
    private func loseState() throws {
        guard let copies, numbers.chance(1, in: 2) else { return }
        log.append(try copies.setBack(&numbers))
        (isStateOlder, hasOlderState) = (true, true)
    }

    /// Runs that go wrong; returns whether somebody changed something during one.
    private func breakRuns() async throws -> Bool {
        var hasMeanwhile = false
        for _ in 0..<Int.random(in: 0...2, using: &numbers) {
            let side = Int.random(in: 0...1, using: &numbers)
            let call = Int.random(in: 0..<40, using: &numbers)
            let fault: UnreliableStorage.Fault
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: fault = .crash
            case 1: fault = .lostReply
            case 2: fault = .failure
            default:
                hasMeanwhile = true
                fault = .meanwhile(
                    try await plannedAction(on: Int.random(in: 0...1, using: &numbers), isDuringRun: true))
            }
            log.append("call \(call) of side \(side): \(fault)")
            folders.storages[side].arm([call: fault])
            folders.storages[1 - side].arm([:])
            try loseState()
            let notes = try? Data(contentsOf: state)
            do { _ = try await sync() } catch let error where error is CocoaError || error is URLError {
                log.append("the run ends: \(error.sentence)")
                // A machine that stops does not note what it has done.
                if numbers.chance(1, in: 2) {
                    log.append("its notes are lost")
                    hasLostNotes = true
                    if copies != nil { (isStateOlder, hasOlderState) = (true, true) }
                    try? FileManager.default.removeItem(at: state)
                    try notes?.write(to: state)
                }
            }
        }
        return hasMeanwhile
    }

    /// Runs without faults: the first brings both sides in step, the second has nothing to do.
    ///
    /// - Returns: What one side cannot hold.
    private func finish(isFirst: Bool) async throws -> [FolderSyncReport.Item] {
        try loseState()
        // The first run of a pair removes nothing, nor does one without a state.
        if isFirst || hasOlderState, options.direction == .mirror { _ = try await sync() }
        let report = try await sync()
        try check(report.isComplete, "a run without faults is complete", report)
        let again = try await sync()
        try check(!again.hasChanges && again.isComplete, "the run after it has nothing to do", again)
        return again.skipped
    }

    // MARK: The model

    /// What both sides should hold, by what each path was in common, and is on each side; nil where a file's path is a
    /// folder on the other side.
    private func expected(_ base: Tree, _ now: [Tree]) -> Tree? {
        let paths = Set(base.keys).union(now[0].keys).union(now[1].keys)
        for path in paths where paths.contains(where: { $0.isBelow(path) }) { return nil }
        if options.direction == .mirror { return now[0] }
        var expected: Tree = [:]
        for path in paths {
            let (was, one, other) = (base[path], now[0][path], now[1][path])
            let merged = one == was ? other : other == was || one != nil ? one : other
            expected[path] = merged
        }
        return expected
    }

    private func check(_ base: Tree, _ before: [Tree], _ expected: Tree, _ after: Tree) throws {
        let copies = after.filter { $0.key.name.contains(" (conflict ") }
        let arrivals = arrivals.value
        // By its content it is unchanged, and by its identity it is not: whether the other side's change or removal
        // wins is open.
        func isOpen(_ path: ProviderPath) -> Bool {
            guard options.direction == .twoWay, let text = base[path] else { return false }
            return arrivals.contains { ($0.path == path || path.isBelow($0.path)) && before[$0.side][path] == text }
        }
        for (path, text) in after where copies[path] == nil && !isOpen(path) {
            try check(expected[path] == text, "\(path) holds \(text)", expected)
        }
        for (path, text) in expected where !isOpen(path) {
            try check(after[path] == text, "\(path) should hold \(text)", after)
        }
        for (path, text) in before[1] where options.direction == .twoWay && expected[path] != text && base[path] != text
        {
            try check(copies.values.contains(text), "\(text) of \(path) is in a conflict copy", after)
        }
    }

    /// What holds however old the state was: a mirror's source stays as it is, and in both directions what was the same on
    /// both sides, and what no earlier round had. Anything else may come back, or make way.
    private func checkKept(_ before: [Tree], _ after: Tree) throws {
        if options.direction == .mirror { return try check(after == before[0], "the source stays as it was", after) }
        let copies = Set(after.filter { $0.key.name.contains(" (conflict ") }.values)
        for path in Set(before[0].keys).union(before[1].keys) {
            let (one, other) = (before[0][path], before[1][path])
            if one == other { try check(after[path] == one, "\(path) stays as it was on both sides", after) }
            for case let text? in [one, other] where !known.contains(text) {
                try check(after[path] == text || copies.contains(text), "\(text) of \(path) is there", after)
            }
        }
    }

    private func checkAlike(_ after: [Tree], skipped: [FolderSyncReport.Item]) throws {
        guard let blind else { return try check(after[0] == after[1], "both sides are alike", after) }
        let (some, all) = (after[blind.side], after[1 - blind.side])
        // Each side keeps its form of a name.
        func has(_ tree: Tree, _ path: ProviderPath, _ text: String) -> Bool {
            if blind.kind == .inCase { return tree[path] == text }
            return tree.contains { $0.key.string == path.string && $0.value == text }
        }
        for (path, text) in some { try check(has(all, path, text), "\(path) is on both sides", after) }
        let refused = skipped.filter { $0.reason.contains("can't hold both this name and") }.map(\.path)
        for (path, text) in all where !has(some, path, text) {
            try check(
                refused.contains { $0 == path || path.isBelow($0) }, "another name keeps \(path) from the other side",
                after)
        }
    }

    /// No content that was there is gone, but for what the run had to replace or remove because one side did.
    private func checkTexts(_ before: Set<String>, base: Tree?, trees: [Tree]) async throws {
        let after = try await texts()
        let onBoth = Set(trees[0].filter { trees[1][$0.key] == $0.value }.values)
        let replaceable = options.keepsReplaced ? [] : Set((base ?? [:]).values).subtracting(onBoth)
        let destroyed = Set(destroyed.value.filter { $0.value > 0 }.keys)
        let lost = before.subtracting(replaceable).union(written.value).subtracting(after).subtracting(destroyed)
        try check(lost.isEmpty, "nothing is lost", lost)
    }

    private func check(_ holds: Bool, _ what: String, _ seen: Any) throws {
        if holds { return }
        let lines =
            ["not so: \(what)", "seen: \(seen)", "options: \(options.direction), trash \(options.keepsReplaced)"] + log
        throw Violation(description: lines.joined(separator: "\n"))
    }

    private func tree(_ side: Int) async throws -> Tree { try await files(side, withTrash: false) }

    private func texts() async throws -> Set<String> {
        try await Set(files(0, withTrash: true).values).union(files(1, withTrash: true).values)
    }

    private func files(_ side: Int, withTrash: Bool) async throws -> Tree {
        let found = CollectedValues<(ProviderPath, String)>()
        let provider = folders.storages[side].underlying
        let root = folders.path[side]
        @Sendable func takesPart(_ item: FileObject) -> Bool {
            !TemporaryName.matches(item.name)
                && (withTrash || ![SyncOptions.trashName, SyncOptions.plainTrashName].contains(item.name))
        }
        try await provider.walk(path: root, entering: takesPart) { item in
            guard item.isRegularFile, takesPart(item) else { return }
            let text = String(decoding: try await provider.contents(path: item.path), as: UTF8.self)
            found.append((item.path.relative(to: root) ?? .root, text))
        }
        return Tree(found.values) { $1 }
    }
}
