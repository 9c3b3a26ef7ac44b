import ArgumentParser
import Carrel
import Foundation
import LCP

struct LCPGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lcp", abstract: "Read, renew and return the licences of protected books.",
        discussion: """
            For Readium LCP with the basic profile. A licence is a separate file (.lcpl) or a part of a book. \
            All but “lcp info” need the certificate that the licence must be signed under: --lcp-root FILE or $CARREL_LCP_ROOT. \
            This machine's identity and used rights are kept in $XDG_STATE_HOME/carrel/lcp or ~/.local/state/carrel/lcp; \
            passphrases are kept nowhere.
            """,
        subcommands: [
            LCPInfo.self, LCPStatus.self, LCPAcquire.self, LCPRenew.self, LCPReturn.self,
        ])
}

extension Verb {
    /// Returns the licence at the location: of a package, or alone. It is not validated.
    func license(at operand: Operand) async throws -> LicenseDocument {
        do { return try await LicensePackage.license(at: operand.path, of: operand.provider) } catch {
            throw error.at(operand.shown)
        }
    }

    /// Returns the licence at the location if it is signed under one of the user's certificates.
    func validLicense(at operand: Operand, _ trust: LicenseTrust) async throws -> LicenseDocument {
        let license = try await license(at: operand)
        do { try await trust.validate(license) } catch { throw error.at(operand.shown) }
        return license
    }

    /// Prints the rows that have a value.
    func show(_ rows: [(String, String?)], _ session: Session) throws {
        for (name, value) in rows {
            if let value, !value.isEmpty { try session.output.fields([name, value]) }
        }
    }

    /// Prints what a licence's server says of it.
    func show(_ status: StatusDocument, _ session: Session) throws {
        if common.json { return try session.output.json(status.json) }
        try show(
            [
                ("id", status.id), ("status", status.status.rawValue), ("message", status.message),
                ("licence updated", status.licenseUpdated.internetText),
                ("status updated", status.statusUpdated.internetText),
                ("renewable until", status.potentialEnd?.internetText),
                (
                    "possible",
                    ["register", "renew", "return"].filter { status.link($0) != nil }.joined(separator: ", ")
                ),
            ], session)
        for event in status.events {
            try session.output.fields(["event", "\(event.type)", event.date.internetText, event.name ?? ""])
        }
    }
}

extension Date {
    /// As RFC 3339, in UTC.
    fileprivate var internetText: String { formatted(Date.ISO8601FormatStyle()) }
}

struct LCPInfo: Verb {
    static let verb = "lcp info"
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show the licence of a protected book.",
        discussion: "With a passphrase, says whether it is the book's. Asks no server.")

    @Argument(help: "A book, or a licence alone.", completion: .location)
    var location: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let license = try await license(at: session.operand(location))
        if common.json { return try session.output.json(license.json) }
        let rights = license.rights
        try show(
            [
                ("id", license.id), ("provider", license.provider), ("issued", license.issued.internetText),
                ("updated", license.updated?.internetText), ("profile", license.profile), ("hint", license.hint),
                ("start", rights.start?.internetText), ("end", rights.end?.internetText),
                ("characters to copy", rights.copy.map(String.init) ?? "unlimited"),
                ("pages to print", rights.print.map(String.init) ?? "unlimited"),
                ("publication", license.link("publication")?.href), ("status", license.link("status")?.href),
                ("signature", try await signature(of: license, session)),
                ("passphrase", try await passphrase(of: license, session)),
            ], session)
    }

    private func signature(of license: LicenseDocument, _ session: Session) async throws -> String {
        guard let trust = try await protection.trust(session) else {
            return "not checked: give --lcp-root FILE or $CARREL_LCP_ROOT"
        }
        do {
            try await trust.validate(license)
            return "valid"
        } catch let problem as LCPProblem {
            return problem.sentence
        }
    }

    /// Whether a passphrase that was given fits. Asks for none.
    private func passphrase(of license: LicenseDocument, _ session: Session) async throws -> String? {
        var sources: [any PassphraseSource] = [EnvironmentPassphrase(environment: session.environment)]
        if let file = protection.passphraseFile { sources.insert(FilePassphrase(file: file), at: 0) }
        do {
            _ = try await LicenseUnlocking(source: PassphraseChain(sources)).unlock(license)
            return "right"
        } catch let problem as LCPProblem {
            return problem.kind == .passphraseNeeded ? nil : problem.sentence
        }
    }
}

struct LCPStatus: Verb {
    static let verb = "lcp status"
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Ask the licence's server for its status.")

    @Argument(help: "A book, or a licence alone.", completion: .location)
    var location: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let trust = try await protection.requiredTrust(session)
        let license = try await validLicense(at: session.operand(location), trust)
        let client = try LicenseState.client(session, store: LicenseState.store(session))
        try show(try await client.status(of: license), session)
    }
}
