import ArgumentParser
import Carrel
import Foundation
import LCP

struct LCPRenew: Verb {
    static let verb = "lcp renew"
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Ask for a loan to be extended.",
        discussion: "The newer licence takes the place of the old one in the book, or of the licence alone.")

    @Option(
        help: ArgumentHelp(
            "Until when, such as 2026-12-31; the default is as long as the server offers.", valueName: "date"))
    var until: String?
    @Argument(help: "A book, or a licence alone.", completion: .location)
    var location: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func validate() throws { _ = try end() }

    func perform(_ session: Session) async throws {
        let trust = try await protection.requiredTrust(session)
        let operand = try await session.operand(location)
        let license = try await validLicense(at: operand, trust)
        let client = try LicenseState.client(session, store: LicenseState.store(session))
        let status: StatusDocument
        do { status = try await client.renew(license, until: end()).status } catch let problem as LCPProblem {
            guard case .needsBrowser(let page) = problem.kind else { throw problem }
            throw CommandFailure(
                status: .refused, sentence: "The loan can be extended on a web page only: \(page.absoluteString)")
        }
        try await replace(license, by: client, at: operand, trust)
        try show(status, session)
    }

    /// The end of the day, or the moment, that `--until` names.
    private func end() throws -> Date? {
        guard let until else { return nil }
        guard let date = DateText.parse(until) else {
            throw ValidationError("--until needs a date, such as 2026-12-31 or 2026-12-31T18:00:00Z.")
        }
        // A day without a time is meant as a whole.
        return until.utf8.count == 10 ? date.addingTimeInterval(24 * 60 * 60 - 1) : date
    }
}

struct LCPReturn: Verb {
    static let verb = "lcp return"
    static let configuration = CommandConfiguration(
        commandName: "return", abstract: "Give a loan back before its end.",
        discussion: "The book stays where it is, and can no longer be read.")

    @Argument(help: "A book, or a licence alone.", completion: .location)
    var location: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let trust = try await protection.requiredTrust(session)
        let operand = try await session.operand(location)
        let license = try await validLicense(at: operand, trust)
        let client = try LicenseState.client(session, store: LicenseState.store(session))
        let status = try await client.returnLicense(license)
        // The server may end the licence itself, with a new one.
        try await replace(license, by: client, at: operand, trust)
        try show(status, session)
    }
}

extension Verb {
    /// Replaces the licence at the location if its server has a newer one. What was asked of the server is done already,
    /// so a failure here is only reported.
    fileprivate func replace(
        _ old: LicenseDocument, by client: LicenseStatusClient, at operand: Operand, _ trust: LicenseTrust
    ) async throws {
        do {
            let newest = try await client.refresh(old).license
            guard newest.id == old.id, newest.date > old.date else { return }
            try await LicensePackage(trust: trust).replaceLicense(in: operand.path, of: operand.provider, with: newest)
        } catch let error where !error.isCancellation {
            Session.say(
                CommandFailure(
                    status: .failed, sentence: "Done; the new licence was not put in place. \(error.sentence)"),
                verb: Self.verb, location: operand.shown)
        }
    }
}
