import FileProviderCore
import Foundation
import Testing

/// The older FileProvider interface's names that Core derives, on a provider that implements the requirements alone.
@Suite struct OlderNamesTests {
    private let provider = StubProvider()

    /// Waits until each of the operations that `start` begins has called its handler.
    private func all(_ count: Int, _ start: (_ done: @escaping @Sendable () -> Void) -> [Progress?]) async throws {
        let (calls, ended) = (CollectedValues<Bool>(), Signal())
        let begun = start {
            calls.append(true)
            if calls.values.count == count { ended.fire() }
        }
        #expect(begun.count == count && !begun.contains(nil))
        try await ended.wait()
    }

    @Test func `queries`() async throws {
        try await all(6) { done in
            [
                provider.contentsOfDirectory(path: "/") { contents, error in
                    #expect(contents.map(\.name) == ["a"] && error == nil)
                    done()
                },
                provider.attributesOfItem(path: "/a") { attributes, error in
                    #expect(attributes?.path.string == "/a" && error == nil)
                    done()
                },
                provider.storageProperties { volumeInfo in
                    #expect(volumeInfo == nil)
                    done()
                },
                provider.isReachable { success, error in
                    #expect(success && error == nil)
                    done()
                },
                provider.fileByUniqueName("/a") { path, error in
                    #expect(path == "/a 2" && error == nil)
                    done()
                },
                provider.contents(path: "/a", offset: 10, length: 20) { contents, error in
                    #expect(contents?.count == 20 && error == nil)
                    done()
                },
            ]
        }
        #expect(provider.type == "Stub")
        #expect(provider.relativePathOf(url: provider.url(of: try ProviderPath("/x y"))) == "/x y")
    }

    @Test func `operations`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("carrel-\(UUID())")
        try Data(count: 100).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await all(9) { done in
            let handler: SimpleCompletionHandler = { error in
                #expect(error == nil)
                done()
            }
            return [
                provider.create(folder: "a", at: "/", completionHandler: handler),
                provider.moveItem(path: "/a", to: "/b", completionHandler: handler),
                provider.moveItem(path: "/a", to: "/b", overwrite: true, completionHandler: handler),
                provider.copyItem(path: "/a", to: "/b", completionHandler: handler),
                provider.removeItem(path: "/a", completionHandler: handler),
                provider.copyItem(localFile: file, to: "/b", overwrite: true, completionHandler: handler),
                provider.copyItem(path: "/a", toLocalURL: file, overwrite: true, completionHandler: handler),
                provider.writeContents(
                    path: "/a", contents: Data(count: 1), atomically: true, overwrite: true, completionHandler: handler),
                provider.contents(path: "/a", progressHandler: { _, _ in }, completionHandler: handler),
            ]
        }
    }

    @Test func `what a progress says of itself`() throws {
        let progress = try #require(
            provider.copyItem(path: "/a", toLocalURL: URL(fileURLWithPath: "/nowhere/x"), completionHandler: nil))
        #expect(progress.kind == .file)
        #expect(progress.userInfo[.fileOperationKindKey] as? Progress.FileOperationKind == .downloading)
        #expect(progress.userInfo[.startingTimeKey] is Date)
        let operation = try #require(progress.userInfo[.fileProviderOperationTypeKey] as? FileOperationType)
        #expect(operation == .copy(source: "/a", destination: "/nowhere/x"))
        #expect(operation.description == "Copying /a → /nowhere/x" && operation.actionDescription == "Copying")
        #expect(provider.removeItem(path: "/a", completionHandler: nil)?.totalUnitCount == 1)
    }

    @available(*, deprecated, message: "Uses what is misspelt on purpose.")
    @Test func `misspelt names still lead to the right ones`() throws {
        #expect(ProgressUserInfoKey.fileProvderOperationTypeKey == .fileProviderOperationTypeKey)
        var folder = FileObject(path: .root, type: .directory)
        folder.childrenCount = 3
        #expect(folder.childrensCount == 3 && !folder.isSymLink)
    }
}
