import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

/// `open(path:options:)` where the storage does not compare.
@Suite struct ConditionalReadingTests {
    private let provider = MemoryFileProvider()
    private let path: ProviderPath

    init() throws {
        path = try ProviderPath("f")
    }

    private func write(_ text: String) async throws -> String {
        try await provider.writeContents(path: path, contents: Data(text.utf8), overwrite: true)
        return try #require(try await provider.open(path: path).attributes().validator)
    }

    @Test func `a version that the caller has is refused by every way to read, and its error has the version`()
        async throws
    {
        let version = try await write("one")
        let reader = try await provider.open(path: path, options: ReadOptions(ifNoneMatch: version))
        let reads: [@Sendable () async throws -> Void] = [
            { _ = try await reader.attributes() }, { _ = try await reader.read(.whole) },
            { _ = try await reader.read([0..<1]) }, { _ = try await reader.writeSource() },
        ]
        for read in reads {
            let error = await #expect(throws: CocoaError.self) { try await read() }
            #expect(error?.code == .fileReadUnknown)
            #expect(error?.unmodifiedFile?.version == version)
        }
    }

    @Test func `another version than the one that is wanted is refused`() async throws {
        let version = try await write("one")
        let options = ReadOptions(ifMatch: version)
        let same = try await provider.open(path: path, options: options)
        #expect(try await same.read(.whole).data == Data("one".utf8))
        _ = try await write("another")
        let reader = try await provider.open(path: path, options: options)
        let error = await #expect(throws: CocoaError.self) { _ = try await reader.read(.whole) }
        #expect(error?.code == .fileReadUnknown)
        #expect((error?.underlying as? POSIXError)?.code == .ESTALE)
        #expect(error?.unmodifiedFile == nil)
    }

    @Test func `tags are compared weakly, and a file without a version is none that was wanted`() throws {
        try ReadOptions(ifMatch: "W/\"a\"").check("\"a\"", of: path)
        #expect(throws: CocoaError.self) { try ReadOptions(ifNoneMatch: "\"a\"").check("W/\"a\"", of: path) }
        #expect(throws: CocoaError.self) { try ReadOptions(ifMatch: "a").check(nil, of: path) }
        try ReadOptions(ifNoneMatch: "a").check(nil, of: path)
        try ReadOptions(ifNoneMatch: "a").check("b", of: path)
        try ReadOptions().check(nil, of: path)
    }
}
