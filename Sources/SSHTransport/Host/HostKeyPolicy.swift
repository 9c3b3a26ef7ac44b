import FileProviderCore
package import Foundation

/// Which host keys are accepted.
package enum HostKeyPolicy: Sendable, Hashable {
    /// Those that are known.
    case strict
    /// Also that of a host of which nothing is known, which is known from then on.
    case acceptNew
    /// Those with one of these fingerprints, `SHA256:…`; of the known ones, only those revoked are looked at.
    case pinned(fingerprints: [String])

    /// Fingerprints as ``HostKey/fingerprint`` has them.
    ///
    /// - Throws: `URLError(.badURL)` for one that is no SHA-256, among them those of MD5, which can be forged.
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
                    : "“\(text)” is no fingerprint; it starts with “SHA256:”, as ssh-keygen -l shows it.")
        }
        return "SHA256:" + hash
    }

    /// Lets `key` pass, or says why not; for `.acceptNew` it keeps the key of a new host. Waits for the disk.
    ///
    /// - Parameters:
    ///   - name: What the key is looked up under: host and port, or the alias of `HostKeyAlias` with port 22.
    ///   - hashed: Whether a new name is hidden in the file.
    ///   - url: Shown with the error.
    /// - Throws: `URLError(.serverCertificateHasUnknownRoot)` where nothing, or only an authority, is known of the
    ///   host; `URLError(.serverCertificateUntrusted)` for a key that was changed, revoked or is not a pinned one; as
    ///   ``KnownHosts/entries(host:port:)`` and ``KnownHosts/add(host:port:key:hashed:)``.
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
                    "The \(shown) of “\(host)” is not known; compare it with what whoever runs the server says, and connect once with "
                    + "“\(command)” or accept new keys.\(note(skipped))")
        }
    }

    /// What makes ssh ask for the key.
    private var command: String { port == 22 ? "ssh \(host)" : "ssh -p \(port) \(host)" }

    private func note(_ skipped: KnownHostEntries) -> String {
        guard let first = skipped.skippedLines.first else { return "" }
        let others = skipped.skippedCount > 1 ? " and \(skipped.skippedCount - 1) more" : ""
        return " (Not readable, and so left out: \(first)\(others).)"
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
            "\(what) (\(list)). Somebody may be in between, or the server was set up anew: ask whoever runs it, and only then remove the "
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
