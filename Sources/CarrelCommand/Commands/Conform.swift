import ArgumentParser
import Carrel
import FileProviderConformance
import Foundation

struct Conform: Verb {
    static let configuration = CommandConfiguration(
        commandName: "conform", abstract: "Run the conformance kit in a new folder below a location.",
        discussion: """
            The folder is removed at the end. Some behaviours open a second connection to the same location. mem: tests
            the kit itself.
            """)

    @Argument(help: "A folder that may be written to.", completion: .location)
    var location: String
    @Option(
        help: ArgumentHelp(
            "A JSON array of known failures: behaviour, reason and, if needed, message and sometimes.",
            valueName: "file"))
    var known: String?
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let known = try knownFailures()
        var operand = try await session.memory(location)
        if operand == nil { operand = try await session.operand(location) }
        guard let operand else { return }
        guard try await operand.provider.attributesOfItem(path: operand.path).isDirectory else {
            throw FileError.notADirectory(operand.path, writing: true)
        }
        let report = await Conformance(
            provider: operand.provider, folder: operand.path, known: known,
            connect: { [location] in try await session.connection(to: location) }
        ).run()
        if common.json {
            try session.output.json(report)
        } else {
            for line in report.description.components(separatedBy: "\n") { try session.output.line(line) }
        }
        guard report.isConforming else {
            let count = report.violations.count
            throw CommandFailure(
                status: .failed, sentence: count == 1 ? "1 promise was broken." : "\(count) promises were broken.",
                hasDocument: true)
        }
    }

    private func knownFailures() throws -> [Conformance.KnownFailure] {
        guard let known else { return [] }
        guard let data = FileManager.default.contents(atPath: known) else {
            throw CommandFailure.usage("The list of known failures, “\(known)”, cannot be read.")
        }
        do { return try JSONDecoder().decode([Conformance.KnownFailure].self, from: data) } catch {
            throw CommandFailure.usage("“\(known)” is not a list of failures: [{\"behaviour\": …, \"reason\": …}].")
        }
    }
}
