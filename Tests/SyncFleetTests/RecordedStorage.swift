import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles

/// A storage in memory that records its calls, and fails and waits as a test says.
final class RecordedStorage: ForwardingProvider {
    static let type = "Recorded"
    let memory: MemoryFileProvider
    var underlying: any FileProvider { memory }
    /// Calls that began, such as `write /a`.
    let calls = CollectedValues<String>()
    /// Called before each call.
    let before = LockedValue<@Sendable (_ call: String, _ path: ProviderPath) async throws -> Void>({ _, _ in })

    init(_ name: String) {
        memory = MemoryFileProvider(MemoryConfiguration(name: name))
    }

    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
    {
        calls.append("\(call) \(path)")
        try await before.value(call, path)
        return try await body()
    }

    /// How often `call` was made.
    func count(_ call: String) -> Int { calls.values.count { $0.hasPrefix(call + " ") } }

    func put(_ path: String, _ text: String) async throws {
        try await memory.writeContents(path: ProviderPath(path), contents: Data(text.utf8), overwrite: true)
    }

    /// The names of the items directly in a folder; none if it is missing.
    func names(_ folder: String = "/") async throws -> [String] {
        try await memory.listing(path: ProviderPath(folder)).contents.map(\.name).sorted()
    }
}
