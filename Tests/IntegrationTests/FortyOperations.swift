import FileProviderCore
import Foundation
import Testing

/// Runs forty operations at once in an empty folder: folders are made and listed, files are written and read.
///
/// - Parameter data: What the file with this number holds.
func runFortyOperations(
    on provider: any FileProvider, in folder: ProviderPath,
    data: @escaping @Sendable (Int) -> Data = { Data("contents of \($0)".utf8) }
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<40 {
            group.addTask {
                let path = try folder.appending("\(index / 4)-\(index % 4)")
                switch index % 4 {
                case 0: try await provider.createFolder(path: path)
                case 1: _ = try await provider.contentsOfDirectory(path: folder)
                default:
                    try await provider.writeContents(path: path, contents: data(index))
                    #expect(try await provider.contents(path: path) == data(index))
                }
            }
        }
        try await group.waitForAll()
    }
    let items = try await provider.contentsOfDirectory(path: folder)
    #expect(items.count == 30 && items.count(where: \.isDirectory) == 10)
}
