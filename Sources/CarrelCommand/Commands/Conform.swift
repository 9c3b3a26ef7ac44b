import ArgumentParser
import Carrel
import FileProviderConformance

struct Conform: Verb {
    static let configuration = CommandConfiguration(
        commandName: "conform", abstract: "Run the conformance kit in a new folder below a location.",
        discussion: "The folder is removed at the end. mem: tries the kit itself.")

    @Argument(help: "A folder that may be written to.")
    var location: String
    @OptionGroup var common: CommonOptions

    func perform(_ session: Session) async throws {
        let place = try await session.location(location)
        let report = await Conformance(provider: place.provider, folder: place.path).run()
        if common.json { try session.output.json(report) } else { try session.output.line(report.description) }
        guard report.isConforming else {
            throw CommandFailure(status: .failed, sentence: "\(report.violations.count) promises were broken.", isSilent: true)
        }
    }
}
