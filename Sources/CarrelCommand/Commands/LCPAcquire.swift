import ArgumentParser
import Carrel
import Foundation
import LCP

struct LCPAcquire: Verb {
    static let verb = "lcp acquire"
    static let configuration = CommandConfiguration(
        commandName: "acquire", abstract: "Download the book of a licence, with the licence in it.",
        discussion:
            "Length and hash are compared with the licence's before the book gets its name. Without --resume, a download that stops leaves nothing."
    )

    @Flag(help: "Replace a file that exists.")
    var overwrite = false
    @Flag(help: "Keep the part of a download that stops, and continue the part of an earlier one.")
    var resume = false
    @Argument(help: "A licence, or a book with one.", completion: .location)
    var location: String
    @Argument(help: "A folder, or a name for the book; the default is the current folder.", completion: .location)
    var target: String = "."
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    private struct ShownResult: Encodable {
        var path: String
        var size: Int64?
        var license: String
    }

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operands = try await session.operands([location, target])
        let trust = try await protection.requiredTrust(session)
        let license = try await validLicense(at: operands[0], trust)
        var place = operands[1]
        do {
            if try await place.itemIfAny()?.isDirectory ?? place.path.isRoot {
                let name = LicensePackage.suggestedName(for: license)
                (place.path, place.shown) = (
                    try place.path.appending(name), place.shown(of: try place.path.appending(name))
                )
            }
        } catch { throw error.at(place.shown) }
        let packages = LicensePackage(trust: trust, connection: try session.licenseOptions())
        let bar = ProgressBar(isQuiet: common.quiet)
        defer { bar.clear() }
        let file: FileObject
        do {
            file = try await packages.acquire(
                license, to: place.path, of: place.provider, overwrite: overwrite, resumes: resume,
                progress: bar.reporter)
        } catch let problem as LCPProblem {
            // About the download.
            throw problem.at(operands[0].shown)
        } catch {
            throw error.naming(missingParentOf: place.path).at(place.shown)
        }
        bar.clear()
        if common.json {
            return try session.output.json(ShownResult(path: place.shown, size: file.size, license: license.id))
        }
        try session.output.line(place.shown)
    }
}
