import FileProviderCore
import Foundation
import ReaderMessages

/// Finds the documents that a driver staged by their names in commands.
actor StagedDocuments {
    let folder: StagingFolder
    /// The content of the folder, listed when a name was not found exactly; `nil` until then.
    private var listing: [FileObject]?
    /// The documents found so far, by their names in the command.
    private var found: [String: ProviderPath] = [:]
    /// Whether the folder is a real folder; `nil` until it was checked.
    private var isFolder: Bool?

    init(folder: StagingFolder) {
        self.folder = folder
    }

    enum Lookup: Sendable {
        case found(StagedDocument)
        /// The document is unavailable, with the reason in a sentence.
        case missing(String)
    }

    /// Returns the document that a command calls `name`: the one with exactly this name, else the only one whose name
    /// differs just in case or Unicode form.
    func find(_ name: String) async throws -> Lookup {
        do { try StagedName.checkDocument(name) } catch { return .missing(error.sentence) }
        guard try await isRealFolder() else {
            return .missing("The folder for documents is a link, which is not followed.")
        }
        guard let file = try await file(name) else { return .missing("It was not found in staging.") }
        guard file.isRegularFile else { return .missing("It is not a file.") }
        guard let size = file.size else { return .missing("Its size is not known.") }
        if size == 0 { return .missing("It is empty.") }
        found[name] = file.path
        return .found(StagedDocument(provider: folder.provider, path: file.path, size: size))
    }

    /// Removes the document of a finished step. A missing document is not an error.
    func discard(_ step: CommandPlan.Step) async throws {
        guard case .add(let book, _) = step, (try? StagedName.checkDocument(book.filename)) != nil else { return }
        // A refused name is never looked up, and so nothing is removed.
        guard try await isRealFolder() else { return }
        let path = try found[book.filename] ?? folder.path.appending(book.filename)
        do {
            guard try await folder.provider.attributesOfItem(path: path).isRegularFile else { return }
            try await folder.provider.removeItem(path: path, recursive: false)
        } catch let error where error.isNoSuchFile {}
    }

    /// Writes a document for the driver.
    func put(_ source: any WriteSource, as name: String) async throws {
        try await folder.create()
        guard try await isRealFolder() else {
            throw FileError.make(
                .featureUnsupported, path: folder.path,
                sentence: "“\(folder.path)” is a link, and nothing is written through it.")
        }
        try await folder.provider.writeContents(
            path: folder.path.appending(name), from: source, options: WriteOptions(overwrite: true))
    }

    /// Clears the results, so that the next command looks again.
    func forget() { (listing, found, isFolder) = (nil, [:], nil) }

    /// A peer that can write to the command staging folder must not lead out of it with a link in place of a folder.
    private func isRealFolder() async throws -> Bool {
        if let isFolder { return isFolder }
        let known: Bool
        do { known = try await folder.provider.attributesOfItem(path: folder.path).isDirectory } catch let error
            where error.isNoSuchFile
        {
            // The folder doesn't exist yet; it is checked again once it does.
            return true
        }
        isFolder = known
        return known
    }

    private func file(_ name: String) async throws -> FileObject? {
        do { return try await folder.provider.attributesOfItem(path: folder.path.appending(name)) } catch let error
            where error.isNoSuchFile
        {}
        if listing == nil { listing = try await files() }
        let wanted = Self.folded(name)
        let alike = (listing ?? []).filter { Self.folded($0.name) == wanted && !StagedName.isReserved($0.name) }
        return alike.count == 1 ? alike[0] : nil
    }

    private func files() async throws -> [FileObject] {
        do { return try await folder.files() } catch let error where error.isNoSuchFile { return [] }
    }

    private static func folded(_ name: String) -> String { name.precomposedStringWithCanonicalMapping.lowercased() }
}
