import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// Copies that are compared by hash once they are in place.
@Suite struct ChecksumVerificationTests {
    private let memory = MemoryFileProvider()
    private let there = MemoryFileProvider()

    private func copy(to target: any FileProvider) async throws -> FileCopy.Outcome {
        try await memory.writeContents(path: ProviderPath("f"), contents: Data("abc".utf8), overwrite: true)
        var copy = FileCopy(try ProviderPath("f"), of: memory)
        copy.verification = ChecksumVerification()
        return try await copy.write(to: ProviderPath("g"), of: target, options: WriteOptions())
    }

    @Test func `a copy with the same bytes holds, and the bytes pass another tap too`() async throws {
        #expect(try await copy(to: there).bytes == 3)
        let tap = CountingTap()
        var copy = FileCopy(try ProviderPath("f"), of: memory, tap: tap)
        copy.verification = ChecksumVerification()
        _ = try await copy.write(to: ProviderPath("h"), of: there, options: WriteOptions())
        #expect(tap.count.value == 3)
    }

    @Test func `a copy with other bytes is named with both hashes, and left`() async throws {
        let target = ForgetfulStorage(there, keeping: .another, answers: true)
        let error = await #expect(throws: CocoaError.self) { _ = try await copy(to: target) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(
            error?.sentence.contains("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") == true,
            "\(error?.sentence ?? "")")
        #expect(try await there.contents(path: ProviderPath("g")) == Data("<1>abc".utf8))
    }

    @Test(arguments: [("900150983cd24fb0d6963f7d28e17f72", true), ("000150983cd24fb0d6963f7d28e17f72", false)])
    func `a target's own hash is believed, and the file is not read back`(hash: String, isSame: Bool) async throws {
        let target = HashingStorage(there, hash: hash)
        if isSame {
            _ = try await copy(to: target)
        } else {
            await #expect(throws: CocoaError.self) { _ = try await copy(to: target) }
        }
        #expect(target.opened.value == 0)
    }

    @Test(arguments: ["md5", "sha256"])
    func `a hash that the target was sent is not believed, and the file is read back`(kind: String) async throws {
        // Its hashes are those of what was sent, whatever it holds.
        let hash =
            kind == "md5"
            ? "900150983cd24fb0d6963f7d28e17f72" : "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let whole = HashingStorage(there, hash: hash, kind: kind, computes: false)
        #expect(try await copy(to: whole).bytes == 3)
        #expect(whole.opened.value > 0)
        let damaging = ForgetfulStorage(MemoryFileProvider(), keeping: .another, answers: true)
        let damaged = HashingStorage(damaging, hash: hash, kind: kind, computes: false)
        let error = await #expect(throws: CocoaError.self) { _ = try await copy(to: damaged) }
        #expect(error?.code == .fileReadCorruptFile)
    }

    @Test func `files that a storage copies by itself are compared, and those of a tree that differ are named`()
        async throws
    {
        let path = try ProviderPath("tree/f")
        try await there.createFolder(path: ProviderPath("tree"))
        try await there.writeContents(path: path, contents: Data("abc".utf8))
        var copy = TreeCopy()
        copy.verification = ChecksumVerification()
        for (hash, failures) in [("900150983cd24fb0d6963f7d28e17f72", 0), ("0", 1)] {
            // The hash of every file but the source's.
            let storage = HashingStorage(there, hash: hash, except: path)
            let outcome = try await copy.copyFolder(
                ProviderPath("tree"), of: storage, to: ProviderPath("copy \(failures)"), of: storage)
            #expect(outcome.copied == 1 - failures && outcome.failed.count == failures)
        }
        // Through this machine.
        let target = ForgetfulStorage(memory, keeping: .another, answers: true)
        let outcome = try await copy.copyFolder(
            ProviderPath("tree"), of: there, to: ProviderPath("damaged"), of: target)
        #expect(outcome.failed.map(\.path) == [path])
    }
}

/// Counts what passes.
private final class CountingTap: CopyTap {
    let count = LockedValue(0)

    func pass(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        count.update { $0 += bytes.count }
        return .ready
    }
}

/// A storage that gives one hash for each of its files, whatever they hold.
private final class HashingStorage: ForwardingProvider, FileProviderChecksums {
    static let type = "Hashing"
    let underlying: any FileProvider
    let opened = LockedValue(0)
    private let hash: String
    private let kind: String
    private let computes: Bool
    private let exception: ProviderPath?

    init(
        _ underlying: any FileProvider, hash: String, kind: String = "md5", computes: Bool = true,
        except exception: ProviderPath? = nil
    ) {
        self.underlying = underlying
        self.hash = hash
        self.kind = kind
        self.computes = computes
        self.exception = exception
    }

    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
    {
        if call == "open" { opened.update { $0 += 1 } }
        return try await body()
    }

    func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        capabilities.hashKinds = [kind]
        capabilities.computesHashes = computes
        return capabilities
    }

    func checksum(of path: ProviderPath, kind: String) async throws -> String {
        path == exception ? "900150983cd24fb0d6963f7d28e17f72" : hash
    }
}
