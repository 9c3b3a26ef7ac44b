import CurlTransport
import FileProviderCore
import Foundation

/// A file that is to come in place of another, on a server that does not rename onto files: the old one is moved out of the way, and removed
/// once the new one is there. One of the two has the name in the end, whatever happens to the connection.
struct FTPReplacement: Sendable {
    private let provider: FTPFileProvider
    private let path: ProviderPath
    private let source: ProviderPath
    /// The name of the old file meanwhile; no name of a temporary file, for those may be swept.
    private let aside: ProviderPath
    /// Whether the old file may have that name.
    private let isAside = Locked(false)

    /// Nothing is sent.
    init(of path: ProviderPath, by source: ProviderPath, _ provider: FTPFileProvider) throws {
        self.provider = provider
        self.path = path
        self.source = source
        aside = try (path.parent ?? .root).appending("\(TemporaryName.make(beside: path).name).old")
    }

    /// Moves the old file away and the new one to its place, over the connection at hand.
    ///
    /// - Parameter refusal: What the server has said to the new file's name while the old one has it.
    func run(_ refusal: any Error, _ session: FTPSession) async throws {
        isAside.update { $0 = true }
        do { try await provider.rename(path, to: aside, session) } catch {
            if error is FTPFailure { throw error }
            isAside.update { $0 = false }
            // A server that does not rename to a free name either has another reason.
            throw refusal
        }
        do { try await provider.rename(source, to: path, session) } catch {
            // What fails of it is done by `putBack()`.
            try? await putBack(session)
            throw error
        }
        session.host.renameReplaces = false
        // What fails of it is done by `discard()`.
        try? await discard(session)
    }

    /// Gives the old file its name again where it has lost it, unless the new one has it by now. Called while no connection is held.
    func putBack() async throws {
        guard isAside.value else { return }
        do {
            try await provider.connection.finish { try await provider.connection.run(path) { try await putBack($0) } }
        } catch {
            throw FileError.make(
                .fileWriteUnknown, path: path, url: provider.url(of: path),
                sentence: "“\(path)” could not be replaced, and what was there is called “\(aside)” now.", underlying: error)
        }
    }

    /// Removes the old file where that was not done. Called while no connection is held, when the new file is there.
    func discard() async {
        guard isAside.value else { return }
        // The file was replaced: that a copy of the old one is left is no failure of that.
        await provider.connection.tidy { try await discard($0) }
    }

    private func putBack(_ session: FTPSession) async throws {
        if try await provider.item(path, session) != nil { return try await discard(session) }
        try await provider.rename(aside, to: path, session)
        isAside.update { $0 = false }
    }

    private func discard(_ session: FTPSession) async throws {
        _ = try await session.send([FTPCommand("DELE", session.host.bytes(of: aside))])
        isAside.update { $0 = false }
    }
}
