import CurlTransport
import FileProviderCore
import Foundation

/// Replaces a file on a server that doesn't rename onto files: moves the old file aside, and removes it when the new
/// one has the name. One of the two has the name in the end, even if the connection is lost.
struct FTPReplacement: Sendable {
    private let provider: FTPFileProvider
    private let path: ProviderPath
    private let source: ProviderPath
    /// The old file's name in the meantime. It isn't a temporary name, because those may be swept.
    private let aside: ProviderPath
    private let state: LockedValue<FTPWriteState>

    /// Sends nothing.
    init(of path: ProviderPath, by source: ProviderPath, provider: FTPFileProvider, state: LockedValue<FTPWriteState>)
        throws
    {
        self.provider = provider
        self.path = path
        self.source = source
        self.state = state
        aside = try (path.parent ?? .root).appending("\(TemporaryName.make(beside: path).name).old")
    }

    private var isDisplaced: Bool { state.value.stage == .displaced(to: aside) }

    /// Moves the old file aside and the new one to the path, over `session`.
    ///
    /// - Parameter refusal: The server's refusal to rename the new file onto the old one.
    func run(after refusal: any Error, on session: FTPSession) async throws {
        state.update { $0.stage = .displaced(to: aside) }
        do { try await provider.rename(path, to: aside, session) } catch {
            if error is FTPFailure { throw error }
            state.update { $0.stage = .renaming }
            // A server that refuses a free name, too, has another reason than the old file.
            throw refusal
        }
        do { try await provider.rename(source, to: path, session) } catch {
            // If this fails, `putBack()` tries again.
            try? await putBack(on: session)
            throw error
        }
        session.host.renameReplaces = false
        // If this fails, `discard()` tries again.
        try? await discard(on: session)
    }

    /// Gives the displaced file its name back, unless another file has it. Call it while no connection is held.
    func putBack() async throws {
        guard isDisplaced else { return }
        do {
            try await provider.connection.finish {
                try await provider.connection.run(path) { try await putBack(on: $0) }
            }
        } catch {
            throw FileError.make(
                .fileWriteUnknown, path: path, url: provider.url(of: path),
                sentence: "“\(path)” could not be replaced. The old file is now called “\(aside)”.",
                underlying: error)
        }
    }

    /// Removes the displaced file. Call it when the new file is in place and no connection is held. Ignores failures,
    /// because the file was replaced.
    func discard() async {
        if isDisplaced {
            await provider.connection.tidy { try await discard(on: $0) }
        } else {
            state.update { $0.stage = .placed }
        }
    }

    private func putBack(on session: FTPSession) async throws {
        if try await provider.item(path, session) == nil {
            try await provider.rename(aside, to: path, session)
        } else {
            try await discard(on: session)
        }
        state.update { $0.stage = .renaming }
    }

    private func discard(on session: FTPSession) async throws {
        _ = try await session.send([FTPCommand("DELE", argument: session.host.bytes(of: aside))])
        state.update { $0.stage = .placed }
    }
}
