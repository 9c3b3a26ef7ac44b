import FileProviderCore
import Foundation
import Logging

/// Whether a licence may be used now: its signature, its status, its dates.
struct LicenseCheck: Sendable {
    /// How far the clock may be behind the last time that it showed. Clocks are corrected by seconds.
    static let clockTolerance: TimeInterval = 5 * 60

    let trust: LicenseTrust
    let store: any LicenseStore
    let status: LicenseStatusClient?
    let clock: @Sendable () -> Date
    let logger: Logger?

    /// Returns the newest licence that takes the place of `license`, which was validated before.
    ///
    /// - Throws: ``LCPProblem`` if it may not be used now; errors of the store.
    func current(_ license: LicenseDocument) async throws -> LicenseDocument {
        var current = try await kept(license)
        if let status { current = try await refreshed(current, by: status) }
        if let ending = try await store.ending(of: current.id), ending.concerns(current) {
            throw ending.problem(of: current)
        }
        try await checkDates(of: current)
        return current
    }

    /// Returns the licence that an earlier opening received, if it is newer and valid.
    private func kept(_ license: LicenseDocument) async throws -> LicenseDocument {
        guard let kept = try await store.newestLicense(license.id), kept.id == license.id, kept.date > license.date
        else { return license }
        do {
            try await trust.validate(kept)
            return kept
        } catch let problem as LCPProblem {
            logger?.warning("the newer licence that was kept is not used", metadata: ["error": "\(problem.sentence)"])
            return license
        }
    }

    /// Asks the provider. Without an answer the licence in hand stays valid, so that books can be read offline.
    private func refreshed(_ license: LicenseDocument, by client: LicenseStatusClient) async throws -> LicenseDocument {
        guard license.link("status") != nil else { return license }
        let answer: LicenseStatusClient.Answer
        do { answer = try await client.refresh(license) } catch let error where !error.isCancellation {
            logger?.info("the licence's status is unknown", metadata: ["error": "\(error.sentence)"])
            return license
        }
        let newest = answer.license
        if let ending = LicenseEnding(answer.status) {
            try await keep(ending, of: license.id)
            throw ending.problem(of: newest)
        }
        if try await store.ending(of: license.id) != nil { try await store.setEnding(nil, of: license.id) }
        guard newest.id == license.id, newest.date > license.date else { return license }
        do {
            try await trust.validate(newest)
            try await store.keep(newest)
            return newest
        } catch let error where !error.isCancellation {
            logger?.warning("the provider's newer licence is not used", metadata: ["error": "\(error.sentence)"])
            return license
        }
    }

    /// Keeps that the provider ended the licence. It is refused now even if that cannot be kept.
    private func keep(_ ending: LicenseEnding, of id: String) async throws {
        do { try await store.setEnding(ending, of: id) } catch let error where !error.isCancellation {
            logger?.warning("the licence's ending cannot be kept", metadata: ["error": "\(error.sentence)"])
        }
    }

    /// A licence with an end is not used while the clock is behind the last time that it showed for this licence, by
    /// more than the tolerance. A licence without an end never needs that.
    private func checkDates(of license: LicenseDocument) async throws {
        let now = clock()
        if let end = license.rights.end {
            let seen = try await store.lastSeen(license.id) ?? .distantPast
            if seen.timeIntervalSince(now) > Self.clockTolerance { throw LCPProblem(.clockSetBack) }
            if now > seen { try await store.setLastSeen(now, of: license.id) }
            if now > end { throw LCPProblem(.expired(end)) }
        }
        if let start = license.rights.start, now < start { throw LCPProblem(.notStarted(start)) }
    }
}
