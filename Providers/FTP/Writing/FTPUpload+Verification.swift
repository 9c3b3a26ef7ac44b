import CurlTransport
import FileProviderCore
import Foundation

/// Verifies what the server has stored.
extension FTPUpload {
    /// Asks the server for the hash of the file and compares it. If the server doesn't answer in time, or answers about
    /// another file, the size is the only proof.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` if the hash differs. Nothing was replaced, and the part is removed.
    func compare(_ sent: Sent) async throws {
        guard let hash = sent.hash else { return }
        var theirs: String?
        do {
            theirs = try await connection.run(location, mayRepeat: false) { session in
                try await session.reply(to: hash.asked, of: session.host.bytes(of: location)).flatMap {
                    hash.asked.value(in: $0, size: sent.count)
                }
            }
        } catch let error as URLError where error.code == .timedOut {}
        guard let theirs, theirs != hash.value else { return }
        if keepsPart { await removeNow() }
        throw refused("another \(hash.asked.kind.name)")
    }

    /// Whether the reply to `SIZE` or to `STOR` shows that the server has `count` bytes.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` if the server has another number of bytes.
    func verify(_ outcome: FTPOutcome, has count: Int64) throws -> Bool {
        guard let size = outcome.size else { return state.value.isCountStated }
        if size != count { throw refused("\(size) of \(count) bytes") }
        return true
    }

    /// Looks for the stored file if `SIZE` doesn't show it. If the server shows nothing, its acknowledgement is the
    /// only proof.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` if the file is missing, or has another number of bytes.
    func look(for count: Int64, on session: FTPSession) async throws {
        if state.value.isCountStated { return }
        switch try await provider.sight(location, session) {
        case .item(let item):
            if let size = item.size, size != count { throw refused("\(size) of \(count) bytes") }
            state.update { $0.isSizeSeen = item.size != nil }
        case .hidden: state.update { $0.isSizeSeen = false }
        case .nothing:
            // A service may collect a file at the path as soon as it is stored.
            if isPublished { throw refused("no file") }
            state.update { $0.isSizeSeen = false }
        }
    }

    /// The size of the file at the location; `nil` if the server doesn't show one.
    func size(on session: FTPSession) async throws -> Int64? {
        try await session.send(
            session.binary + [FTPCommand("SIZE", argument: session.host.transferBytes(of: location))]
        ).size
    }

    private func refused(_ kept: String) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: provider.url(of: path),
            sentence: "The server kept \(kept) of “\(path)”" + (isPublished ? "; nothing was replaced." : "."))
    }
}

extension FTPReply {
    /// Whether a positive reply states this number of bytes, as in `226 Transfer complete, 1234 bytes`.
    func states(bytes count: Int64) -> Bool {
        guard (200..<300).contains(code) else { return false }
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
        return zip(words, words.dropFirst()).contains {
            Int64($0) == count && ["byte", "bytes", "octets"].contains($1)
        }
    }
}
