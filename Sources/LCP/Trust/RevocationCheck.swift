import Cryptography
import FileProviderCore
import Foundation

/// The list of revoked certificates in hand, shared by all validations of one ``LicenseTrust``.
actor RevocationCheck {
    /// Seconds between two questions for a list while the one in hand is too old.
    private static let pause: TimeInterval = 5 * 60

    private let source: RevocationSource
    private let roots: [Certificate]
    private let clock: @Sendable () -> Date
    private var list: RevocationList?
    private var received = Date.distantPast
    private var asked = Date.distantPast

    init(source: RevocationSource, roots: [Certificate], clock: @escaping @Sendable () -> Date) {
        self.source = source
        self.roots = roots
        self.clock = clock
    }

    /// Whether the newest list that can be had has `certificate`.
    ///
    /// - Throws: ``LCPProblem`` if there is no list at all.
    func isRevoked(_ certificate: Certificate) async throws -> Bool {
        try await current().contains(certificate)
    }

    private func current() async throws -> RevocationList {
        if let list, !isDue(list) { return list }
        do {
            asked = clock()
            let newer = try read(try await source.data(), from: "The list of revoked certificates")
            received = clock()
            return keep(newer)
        } catch let error where !error.isCancellation {
            // Another validation may have received one meanwhile.
            if let list { return list }
            guard let bundled = source.bundled else { throw Self.problem(error) }
            return keep(try read(bundled, from: "The app's own list of revoked certificates"))
        }
    }

    /// Keeps the newer one, so that an old list cannot hide the latest revocations.
    private func keep(_ newer: RevocationList) -> RevocationList {
        if let list, list.thisUpdate > newer.thisUpdate { return list }
        list = newer
        return newer
    }

    /// Times that are ahead of a clock that was set back count as long ago.
    private func isDue(_ list: RevocationList) -> Bool {
        let now = clock()
        guard abs(now.timeIntervalSince(asked)) >= Self.pause else { return false }
        let age = abs(now.timeIntervalSince(received))
        return age >= source.maximumAge || list.nextUpdate.map { $0 <= now } ?? false
    }

    private func read(_ data: Data, from subject: String) throws -> RevocationList {
        guard let list = RevocationList(der: data) ?? RevocationList(pem: String(decoding: data, as: UTF8.self)) else {
            throw LCPProblem(
                .untrustedCertificate,
                sentence: "\(subject) cannot be read: it must be an X.509 CRL in DER or PEM, of at most 16 MiB.")
        }
        guard roots.contains(where: { list.isSigned(by: $0) }) else {
            throw LCPProblem(
                .untrustedCertificate,
                sentence: "\(subject) is not signed by one of this app's root certificates, so it is not used.")
        }
        return list
    }

    private static func problem(_ error: any Error) -> LCPProblem {
        if let problem = error as? LCPProblem { return problem }
        return LCPProblem(
            .statusUnavailable,
            sentence:
                "The list of revoked certificates, which is needed to validate the licence, is not available: \(error.sentence)",
            underlying: error)
    }
}
