import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

/// A folder of this machine for one test, removed at its end, with a provider whose root is `root` in it.
final class TestFolder: Sendable {
    let place: String
    let provider: LocalFileProvider

    /// The provider's root as a path of this machine.
    var root: String { place + "/root" }

    init(in parent: String = NSTemporaryDirectory()) throws {
        place = URL(fileURLWithPath: parent).appendingPathComponent("carrel-\(UUID())").path
        try FileManager.default.createDirectory(atPath: place + "/root", withIntermediateDirectories: true)
        provider = try LocalFileProvider(root: URL(fileURLWithPath: place + "/root"))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: place)
    }

    /// Puts a file there without the provider's help.
    func put(_ text: String, at path: String, permissions: UInt32 = 0o644) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: root + path))
        #expect(chmod(root + path, permissions) == 0)
    }

    func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: root + path, withIntermediateDirectories: true)
    }

    func link(_ path: String, to target: String) {
        #expect(symlink(target, root + path) == 0)
    }

    /// The content as this machine sees it; nil when there is no file.
    func text(_ path: String) -> String? { try? String(contentsOfFile: root + path, encoding: .utf8) }

    /// All names below the root, hidden and temporary ones too.
    func names() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: root).sorted() }
}

extension LocalFileProvider {
    func text(_ path: String) async throws -> String { String(decoding: try await contents(path: ProviderPath(path)), as: UTF8.self) }

    func write(_ text: String, to path: String, options: WriteOptions = WriteOptions()) async throws {
        try await writeContents(path: ProviderPath(path), from: DataSource(Data(text.utf8)), options: options)
    }

    func move(_ path: String, to destination: String, overwrite: Bool = false) async throws {
        try await moveItem(path: ProviderPath(path), to: ProviderPath(destination), overwrite: overwrite)
    }

    func copy(_ path: String, to destination: String, overwrite: Bool = false) async throws {
        try await copyItem(path: ProviderPath(path), to: ProviderPath(destination), overwrite: overwrite)
    }
}

extension Error {
    /// Foundation's code for a file condition.
    var fileCode: CocoaError.Code? { (self as? CocoaError)?.code }

    /// The kernel's code below it.
    var cause: POSIXErrorCode? { ((self as? CocoaError)?.underlying as? POSIXError)?.code }
}

/// A source that gives pieces of 64 KiB, tells when it is read first, and ends as a test says.
final class ScriptedSource: WriteSource, ByteSource {
    enum Ending { case end, failure, never }

    let length: Int64?
    let isRepeatable = false
    let started = AsyncStream<Never>.makeStream()
    private let ending: Ending
    private let pieces: Locked<Int>

    init(pieces: Int, then ending: Ending, length: Int64? = nil) {
        self.pieces = Locked(pieces)
        self.ending = ending
        self.length = length
    }

    func bytes(from offset: Int64) throws -> any ByteSource { self }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
        let left = pieces.update { pieces in
            defer { pieces -= 1 }
            return pieces
        }
        if left > 0 {
            let count = min(buffer.count, 65_536)
            buffer[..<count].initializeMemory(as: UInt8.self, repeating: 7)
            return .bytes(count)
        }
        started.continuation.finish()
        switch ending {
        case .end: return .end
        case .failure: throw URLError(.networkConnectionLost)
        case .never: return .wait
        }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        if ending != .never { resume() }
    }
}
