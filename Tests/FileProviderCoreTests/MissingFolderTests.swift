import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@Suite struct MissingFolderTests {
    @Test func `a folder is created with those above it, for this user alone`() throws {
        let root = try TemporaryFolder()
        let folder = root.url.appending(path: "a/b")
        try MissingFolder.create(folder)
        try MissingFolder.create(folder)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(percentEncoded: false))
        #expect(attributes[.type] as? FileAttributeType == .typeDirectory)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test func `a sentence names the folder that cannot be created, and why`() throws {
        let root = try TemporaryFolder()
        let file = root.url.appending(path: "file")
        try Data().write(to: file)
        let folder = file.appending(path: "below")
        let error = #expect(throws: CocoaError.self) { try MissingFolder.create(folder) }
        let sentence = "The folder “\(folder.path)” cannot be created: Not a directory."
        #expect(error?.sentence == sentence && error?.code == .fileWriteUnknown)
        let state = #expect(throws: CocoaError.self) { try MissingFolder.create(folder, of: ("state", "there")) }
        #expect(state?.sentence.hasPrefix("The folder of the state “there” cannot be created") == true)
    }
}
