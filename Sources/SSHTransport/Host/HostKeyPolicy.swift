import FileProviderCore
package import Foundation

/// Which host keys are accepted.
package enum HostKeyPolicy: Sendable, Hashable {
    /// Known keys.
    case strict
    /// Known keys, and the key of a host without any known key, which is then added to the known ones.
    case acceptNew
    /// Keys with one of these fingerprints, `SHA256:…`. Of the known keys, only revoked ones matter.
    case pinned(fingerprints: [String])

    /// Checks that the fingerprints have the form of ``HostKey/fingerprint``.
    ///
    /// - Throws: `URLError(.badURL)` for a fingerprint that is not SHA-256, such as one of MD5, which can be forged.
    package static func pinned(checking fingerprints: [String]) throws -> HostKeyPolicy {
        .pinned(fingerprints: try fingerprints.map { try checked($0) })
    }

    private static func checked(_ text: String) throws -> String {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        let hash = trimmed.dropFirst("SHA256:".count).prefix { $0 != "=" }
        guard trimmed.hasPrefix("SHA256:"), Data(base64Encoded: hash + "=")?.count == 32 else {
            let isMD5 = trimmed.hasPrefix("MD5:") || trimmed.split(separator: ":").count == 16
            throw FileError.make(
                .badURL, url: nil,
                sentence: isMD5
                    ? "Fingerprints of MD5 can be forged; take the one that starts with “SHA256:”, as ssh-keygen -l shows it."
                    : "“\(text)” is not a fingerprint. Fingerprints start with “SHA256:”, as ssh-keygen -l shows them.")
        }
        return "SHA256:" + hash
    }

    /// Accepts `key`, or throws the reason why not. With `.acceptNew`, stores the key of a new host. Reads from the
    /// disk.
    ///
    /// - Parameters:
    ///   - name: The name under which the key is looked up: host and port, or the alias of `HostKeyAlias` with port 22.
    ///   - hashed: Whether a new name is hashed in the file.
    ///   - url: The URL for errors.
    /// - Throws: `URLError(.serverCertificateHasUnknownRoot)` if no key, or only an authority, is known for the host;
    ///   `URLError(.serverCertificateUntrusted)` for a key that has changed, was revoked or is not pinned; the errors
    ///   of ``KnownHosts/entries(host:port:)`` and ``KnownHosts/add(host:port:key:hashed:)``.
    package func check(
        _ key: HostKey, name: (host: String, port: Int), knownHosts: KnownHosts, hashed: Bool = false, url: URL? = nil
    ) throws {
        let refusal = HostKeyRefusal(key: key, host: name.host, port: name.port, url: url)
        let entries = try knownHosts.entries(host: name.host, port: name.port)
        var verdict = entries.verdict(of: key)
        if case .revoked = verdict { throw refusal.error(verdict, skipped: entries) }
        if case .pinned(let fingerprints) = self {
            let own = try fingerprints.map { try Self.checked($0) }
            if !own.contains(key.fingerprint) { throw refusal.notPinned(own) }
            return
        }
        if self == .acceptNew, verdict == .unknown {
            verdict = try knownHosts.add(host: name.host, port: name.port, key: key, hashed: hashed)
            if verdict == .unknown { return }
        }
        if verdict != .known { throw refusal.error(verdict, skipped: entries) }
    }
}

/// The sentences for a key that is not accepted.
private struct HostKeyRefusal {
    let key: HostKey
    let host: String
    let port: Int
    let url: URL?

    private var shown: String { "\(key.algorithm) key \(key.fingerprint)" }
    private var name: String { String(decoding: KnownHostName(host: host, port: port).text, as: UTF8.self) }

    func error(_ verdict: HostKeyVerdict, skipped: KnownHostEntries) -> URLError {
        switch verdict {
        case .changed(let known): return untrusted(changed(known))
        case .revoked(let entry):
            return untrusted(
                "“\(host)” shows the \(shown), which is revoked (\(entry.location)) and must not be trusted.")
        case .authorityOnly(let entry):
            return FileError.make(
                .serverCertificateHasUnknownRoot, url: url,
                sentence:
                    "Only a certificate authority is known for “\(host)” (\(entry.location)), and it cannot be checked here; "
                    + "add the server's own \(shown) to the known hosts, or connect by the ssh program.")
        case .unknown, .known:
            return FileError.make(
                .serverCertificateHasUnknownRoot, url: url,
                sentence:
                    "The \(shown) of “\(host)” is not known. Compare it with what the server's administrator says, and connect once with "
                    + "“\(command)” or accept new keys.\(note(skipped))")
        }
    }

    /// The command that makes ssh ask whether to accept the key.
    private var command: String { port == 22 ? "ssh \(host)" : "ssh -p \(port) \(host)" }

    private func note(_ skipped: KnownHostEntries) -> String {
        guard let first = skipped.skippedLines.first else { return "" }
        let others = skipped.skippedCount > 1 ? " and \(skipped.skippedCount - 1) more" : ""
        return " (These lines cannot be read and were ignored: \(first)\(others).)"
    }

    private func changed(_ known: [KnownHostEntry]) -> String {
        let sameType = known.filter { $0.key.type == key.type }
        let reported = sameType.isEmpty ? known : sameType
        let list = reported.prefix(5).map { "\($0.key.algorithm) \($0.key.fingerprint), \($0.location)" }
            .joined(separator: "; ")
        let what =
            sameType.isEmpty
            ? "“\(host)” shows the \(shown), and only keys of other types are known for it"
            : "“\(host)” shows the \(shown), and another one is known for it"
        return
            "\(what) (\(list)). The connection may be intercepted, or the key was replaced. Ask its administrator, then remove the "
            + "known one with “ssh-keygen -R '\(name)' -f '\(reported.first?.file ?? "")'”."
    }

    func notPinned(_ fingerprints: [String]) -> URLError {
        untrusted(
            "“\(host)” shows the \(shown), which is not the one asked for (\(fingerprints.joined(separator: ", "))).")
    }

    private func untrusted(_ sentence: String) -> URLError {
        FileError.make(.serverCertificateUntrusted, url: url, sentence: sentence)
    }
}
