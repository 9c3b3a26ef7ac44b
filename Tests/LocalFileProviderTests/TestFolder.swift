import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

/// A folder of this machine for one test, removed at its end, with a provider whose root is `root` in it.
final class TestFolder: Sendable {
    let base: String
    let provider: LocalFileProvider

    /// The provider's root as a path of this machine.
    var root: String { base + "/root" }

    /// - Parameter calls: System calls that the provider may use; without the others it has to find another way.
    init(in parent: String = NSTemporaryDirectory(), calls: KernelCalls = .all) throws {
        base = URL(fileURLWithPath: parent).appendingPathComponent("carrel-\(UUID())").path
        try FileManager.default.createDirectory(atPath: base + "/root", withIntermediateDirectories: true)
        provider = try LocalFileProvider(configuration: LocalConfiguration(root: base + "/root"), calls: calls)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: base)
    }

    /// A provider of the machine's root.
    static func machine(calls: KernelCalls = .all) throws -> LocalFileProvider {
        try LocalFileProvider(configuration: LocalConfiguration(root: "/"), calls: calls)
    }

    /// What lstat(2) says.
    func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(lstat(root + path, &status) == 0)
        return status
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

extension KernelCalls {
    /// With openat2(2), and without.
    static let bothWaysDown: [KernelCalls] = [.all, .all.subtracting(.openat2)]
    /// A free name taken by the kernel in one step, by a second link, by an empty file or folder.
    static let waysToTakeAName: [KernelCalls] = [
        .all, .all.subtracting(.renameNoReplace), .all.subtracting([.renameNoReplace, .hardLinks]),
    ]
    /// Blocks shared or copied by the kernel, bytes through memory; with holes, and with zeros in their place.
    static let waysToCopy: [KernelCalls] = [
        .all, .all.subtracting(.clone), .all.subtracting([.clone, .copyFileRange]),
        .all.subtracting([.clone, .dataAndHoles]), [],
    ]
}

extension LocalFileProvider {
    func text(_ path: String) async throws -> String {
        String(decoding: try await contents(path: ProviderPath(path)), as: UTF8.self)
    }

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
