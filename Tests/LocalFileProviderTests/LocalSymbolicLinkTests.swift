import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

@Suite struct LocalSymbolicLinkTests {
    @Test func `a link is stored as given and leads where it says`() async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/d/e")
        try folder.put("x", at: "/d/a")
        let link = try ProviderPath("/d/e/link")
        try await folder.provider.createSymbolicLink(path: link, to: ProviderPath("/d/a"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.root + "/d/e/link") == "../a")
        #expect(try await folder.provider.attributesOfItem(path: link).linkTarget == Array("../a".utf8))
        let destination = try await folder.provider.destinationOfSymbolicLink(path: link)
        #expect(destination.path.string == "/d/a" && destination.size == 1)
        try await folder.provider.createSymbolicLink(path: ProviderPath("/second"), target: Array("d/e/link".utf8))
        #expect(
            try await folder.provider.destinationOfSymbolicLink(path: ProviderPath("/second")).path.string == "/d/a")
        try await folder.provider.createSymbolicLink(path: ProviderPath("/d/here"), to: ProviderPath("/d"))
        #expect(try await folder.provider.destinationOfSymbolicLink(path: ProviderPath("/d/here")).path.string == "/d")
        try await folder.provider.createSymbolicLink(path: ProviderPath("/d/top"), to: .root)
        #expect(try await folder.provider.destinationOfSymbolicLink(path: ProviderPath("/d/top")).path.isRoot)
    }

    @Test func `a name that is taken, a missing folder and a target that cannot be are refused`() async throws {
        let folder = try TestFolder()
        try folder.put("x", at: "/a")
        let provider = folder.provider
        await expect(.fileWriteFileExists) {
            try await provider.createSymbolicLink(path: ProviderPath("/a"), target: [0x61])
        }
        await expect(.fileWriteFileExists) { try await provider.createSymbolicLink(path: .root, target: [0x61]) }
        await expect(.fileNoSuchFile) {
            try await provider.createSymbolicLink(path: ProviderPath("/n/a"), target: [0x61])
        }
        for target in [[], [0x61, 0], [UInt8](repeating: 0x61, count: 4096)] {
            await expect(.fileWriteInvalidFileName) {
                try await provider.createSymbolicLink(path: ProviderPath("/b"), target: target)
            }
        }
        #expect(try folder.names() == ["a"])
        #expect(folder.text("/a") == "x")
    }

    @Test func `links that lead nowhere, out or in a circle, and what is no link, are told apart`() async throws {
        let folder = try TestFolder()
        try folder.put("x", at: "/a")
        folder.link("/nowhere", to: "missing")
        folder.link("/out", to: "/etc/passwd")
        folder.link("/up", to: "../")
        folder.link("/one", to: "two")
        folder.link("/two", to: "one")
        let provider = folder.provider
        await expect(.fileReadNoSuchFile) {
            try await provider.destinationOfSymbolicLink(path: ProviderPath("/nowhere"))
        }
        await expect(.fileReadNoSuchFile) {
            try await provider.destinationOfSymbolicLink(path: ProviderPath("/missing"))
        }
        await expect(.fileReadNoPermission) { try await provider.destinationOfSymbolicLink(path: ProviderPath("/out")) }
        await expect(.fileReadNoPermission) { try await provider.destinationOfSymbolicLink(path: ProviderPath("/up")) }
        await expect(.fileReadUnknown, .ELOOP) {
            try await provider.destinationOfSymbolicLink(path: ProviderPath("/one"))
        }
        await expect(.fileReadUnknown, .EINVAL) {
            try await provider.destinationOfSymbolicLink(path: ProviderPath("/a"))
        }
        await expect(.fileReadUnknown, .EINVAL) { try await provider.destinationOfSymbolicLink(path: .root) }
    }

    private func expect(
        _ code: CocoaError.Code, _ cause: POSIXErrorCode? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Any
    ) async {
        do {
            _ = try await body()
            Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        } catch {
            #expect((error as? CocoaError)?.code == code, "\(error)", sourceLocation: sourceLocation)
            if let cause {
                #expect(
                    ((error as? CocoaError)?.underlying as? POSIXError)?.code == cause, sourceLocation: sourceLocation)
            }
        }
    }
}
