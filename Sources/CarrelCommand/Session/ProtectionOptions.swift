import ArgumentParser
import Carrel
import Foundation
import LCP
import LCPStore

/// The options of verbs that open protected books.
struct ProtectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A file whose first line is the passphrase of a protected book.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A certificate (PEM or DER) under which the licences of protected books must be signed; may be repeated.",
            valueName: "file"), completion: .file())
    var lcpRoot: [String] = []

    func validate() throws {
        for file in [passphraseFile].compactMap(\.self) + lcpRoot {
            if let reason = unreadable(file) { throw ValidationError("The file “\(file)” cannot be read: \(reason).") }
        }
    }

    /// The variable with the certificates' files, separated by colons.
    private static let variable = "CARREL_LCP_ROOT"
    private static let largestRoot = 1 << 20

    /// The licence's certificate is compared with certificates that the user names, and with no others.
    static let missingRoot =
        "The book's licence cannot be checked: give the certificate that its bookseller's licences are signed under, with --lcp-root FILE or $CARREL_LCP_ROOT."

    /// Returns the certificates that the user trusts; `nil` if none is given.
    func trust(_ session: Session) async throws -> LicenseTrust? {
        let named = session.environment[Self.variable]?.split(separator: ":").map(String.init) ?? []
        let files = lcpRoot.isEmpty ? named : lcpRoot
        if files.isEmpty { return nil }
        var roots: [Data] = []
        for file in files {
            do { roots.append(try await SmallFile.read(file, limit: Self.largestRoot)) } catch {
                throw CommandFailure.usage("The certificate “\(file)” cannot be read: \(error.sentence)")
            }
        }
        do { return try LicenseTrust(roots: roots) } catch {
            throw CommandFailure.usage(
                "\(files.joined(separator: ", ")): this is no certificate in PEM or DER. \(error.sentence)")
        }
    }

    /// Returns the certificates that the user trusts.
    ///
    /// - Throws: A refusal that says what to give if there are none.
    func requiredTrust(_ session: Session) async throws -> LicenseTrust {
        guard let trust = try await trust(session) else {
            throw CommandFailure(status: .refused, sentence: Self.missingRoot)
        }
        return trust
    }

    /// Passphrases from the file, `$CARREL_PASSPHRASE` and a question on the terminal. None is remembered.
    func unlocking(_ session: Session) -> LicenseUnlocking {
        var sources: [any PassphraseSource] = []
        if let passphraseFile { sources.append(FilePassphrase(file: passphraseFile)) }
        sources.append(EnvironmentPassphrase(environment: session.environment))
        sources.append(PassphrasePrompt { try await TerminalQuestion.passphrase(for: $0) })
        return LicenseUnlocking(source: PassphraseChain(sources), logger: session.logger)
    }

    /// Returns the protection of books under LCP. Without a certificate they stay locked, and say what to give.
    func protection(_ session: Session) async throws -> any ContentProtection {
        guard let trust = try await trust(session) else { return UncheckedLicenses() }
        let store = LicenseState.store(session)
        return LCPContentProtection(
            trust: trust, unlocking: unlocking(session), store: store,
            status: try LicenseState.client(session, store: store), connection: try session.licenseOptions(),
            logger: session.logger)
    }
}

/// Keeps books under LCP locked.
private struct UncheckedLicenses: ContentProtection {
    func open(_ asset: PublicationAsset, warnings: WarningLog) async throws -> ProtectedAsset? {
        if asset.form == .file {
            guard asset.mediaType == .lcpLicenseDocument else { return nil }
            throw CommandFailure(status: .refused, sentence: ProtectionOptions.missingRoot)
        }
        return try await LCPPackage(asset, warnings: warnings)?.locked(reason: ProtectionOptions.missingRoot)
    }
}
