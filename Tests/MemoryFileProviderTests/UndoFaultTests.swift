import FileProviderCore
import FileProviderUndo
import Foundation
import Testing

/// Every call that an operation, its undo or its redo makes fails once: nothing may be lost, and every way leads on.
@Suite struct UndoFaultTests {
    /// A storage, and what happens to its calls.
    struct Weather: Sendable, CustomTestStringConvertible {
        /// Whether the storage copies by itself.
        var copies: Bool
        var fault: FaultyProvider.Fault
        /// Whether all calls fail from the first failing one on, as when the connection is lost.
        var isLasting: Bool

        var testDescription: String {
            "\(copies ? "copying" : "moving aside"), \(fault)\(isLasting ? ", lasting" : "")"
        }
    }

    static let weathers = [true, false].flatMap { copies in
        [FaultyProvider.Fault.refused, .unanswered, .cancelled].flatMap { fault in
            [true, false].map { Weather(copies: copies, fault: fault, isLasting: $0) }
        }
    }

    typealias Operation = @Sendable (any FileProvider & FileProviderUndoable) async throws -> Void

    static let operations: [Operation] = [
        { try await $0.makeFolder("/new") },
        { try await $0.write("new", to: "/new") },
        { try await $0.write("new", to: "/a", overwrite: true) },
        { try await $0.write("new", to: "/empty", overwrite: true) },
        { try await $0.move("/a", to: "/full/a") },
        { try await $0.move("/a", to: "/b", overwrite: true) },
        { try await $0.move("/full", to: "/b", overwrite: true) },
        { try await $0.move("/full", to: "/empty", overwrite: true) },
        { try await $0.copy("/a", to: "/b", overwrite: true) },
        { try await $0.remove("/a") },
        { try await $0.remove("/full") },
    ]

    private func filled(_ weather: Weather) async throws -> (FaultyProvider, any FileProvider & FileProviderUndoable) {
        let faulty = FaultyProvider(without: weather.copies ? [] : [.serverSideCopying])
        try await faulty.base.fill()
        return (faulty, try faulty.undoable())
    }

    /// Lets one call after the other fail in `body`, which starts over each time, until none is left to fail.
    private func failEachCall(
        _ weather: Weather,
        _ body: (_ faulty: FaultyProvider, any FileProvider & FileProviderUndoable, _ startFailing: () -> Void)
            async throws -> Void
    ) async throws {
        for number in 1...100 {
            let (faulty, provider) = try await filled(weather)
            try await body(faulty, provider) {
                faulty.fail(number..<(weather.isLasting ? .max : number + 1), weather.fault)
            }
            if faulty.plan.value.count < number {
                #expect(number > 2)
                return
            }
        }
        Issue.record("An operation with a hundred calls.")
    }

    /// Once all is well again, as much as can be undone is; an operation whose answer was lost may have to stay.
    private func undoAll(_ provider: any FileProvider & FileProviderUndoable) async throws {
        while try await provider.undoManager.undo() {}
    }

    @Test(arguments: weathers, operations.indices)
    func `an operation that fails loses nothing and can be undone`(_ weather: Weather, _ index: Int) async throws {
        try await failEachCall(weather) { faulty, provider, startFailing in
            let (before, texts) = (try await faulty.base.tree(), try await faulty.base.texts())
            startFailing()
            let error = await failure { try await Task { try await Self.operations[index](provider) }.value }
            let calls = faulty.plan.value.count
            faulty.heal()
            #expect(try await faulty.base.texts().isSuperset(of: texts), "call \(calls)")
            if weather.fault == .unanswered { return }
            // Restoring may have failed as well; then it is a step.
            if error != nil, !provider.undoManager.canUndo {
                #expect(try await faulty.base.tree() == before, "call \(calls)")
            }
            try await undoAll(provider)
            #expect(try await faulty.base.tree() == before, "call \(calls)")
        }
    }

    @Test(arguments: weathers, operations.indices)
    func `an overwritten name is never free where the storage copies`(_ weather: Weather, _ index: Int) async throws {
        guard weather.copies, [2, 5, 8].contains(index) else { return }
        try await failEachCall(weather) { faulty, provider, startFailing in
            startFailing()
            _ = await failure { try await Task { try await Self.operations[index](provider) }.value }
            faulty.heal()
            let names = try await faulty.base.tree().keys
            #expect(names.contains(index == 2 ? "/a" : "/b"))
        }
    }

    @Test(arguments: weathers, operations.indices)
    func `an undo that fails loses nothing and can be tried again`(_ weather: Weather, _ index: Int) async throws {
        try await failEachCall(weather) { faulty, provider, startFailing in
            let before = try await faulty.base.tree()
            try await Self.operations[index](provider)
            let texts = try await faulty.base.texts()
            startFailing()
            let error = await failure { _ = try await Task { try await provider.undoManager.undo() }.value }
            let calls = faulty.plan.value.count
            faulty.heal()
            #expect(try await faulty.base.texts().isSuperset(of: texts), "call \(calls)")
            if weather.fault == .unanswered { return }
            if error != nil { try await undoAll(provider) }
            #expect(try await faulty.base.tree() == before, "call \(calls)")
        }
    }

    @Test(arguments: weathers, operations.indices)
    func `a redo that fails loses nothing and can be tried again`(_ weather: Weather, _ index: Int) async throws {
        try await failEachCall(weather) { faulty, provider, startFailing in
            try await Self.operations[index](provider)
            let after = try await faulty.base.tree()
            try await provider.undoManager.undo()
            let texts = try await faulty.base.texts()
            startFailing()
            let error = await failure { _ = try await Task { try await provider.undoManager.redo() }.value }
            let calls = faulty.plan.value.count
            faulty.heal()
            #expect(try await faulty.base.texts().isSuperset(of: texts), "call \(calls)")
            if weather.fault == .unanswered { return }
            if error != nil { while try await provider.undoManager.redo() {} }
            #expect(try await faulty.base.tree() == after, "call \(calls)")
        }
    }

    @Test func `a storage that moves nothing undoes nothing, and works as without undo`() async throws {
        let provider = try FaultyProvider(without: [.moving]).undoable()
        #expect(try await !provider.canUndo(operation: .create(path: "/new")))
        try await provider.makeFolder("/new")
        try await provider.write("old", to: "/file")
        #expect(try await !provider.canUndo(operation: .modify(path: "/file")))
        try await provider.write("new", to: "/file", overwrite: true)
        #expect(try await !provider.canUndo(operation: .remove(path: "/file")))
        try await provider.remove("/file")
        #expect(!provider.undoManager.canUndo)
        #expect(try await provider.tree() == ["/new/": ""])
        #expect(try await provider.undoManager.trashContents().isEmpty)
    }

    @Test(arguments: [true, false])
    func `only the version that was named is replaced`(_ copies: Bool) async throws {
        let (faulty, provider) = try await filled(Weather(copies: copies, fault: .refused, isLasting: false))
        let path = try ProviderPath("/a")
        let previous = try await provider.attributesOfItem(path: path).entryTag
        let source = DataSource(Data("new".utf8))
        try await provider.writeContents(
            path: path, from: source, options: WriteOptions(overwrite: true, ifMatch: previous))
        #expect(
            await code {
                try await provider.writeContents(
                    path: path, from: source, options: WriteOptions(overwrite: true, ifMatch: previous))
            }
                == .fileWriteUnknown)
        try await undoAll(provider)
        #expect(try await faulty.base.text("/a") == "a")
    }

    @Test func `a storage that does not copy by itself says that replacing is not atomic`() async throws {
        let faulty = FaultyProvider(without: [.serverSideCopying])
        #expect(try await faulty.capabilities()[.atomicReplacement] == .native)
        #expect(try await faulty.undoable().capabilities()[.atomicReplacement] == .unavailable)
        #expect(try await FaultyProvider().undoable().capabilities()[.atomicReplacement] == .native)
    }
}
