import ArgumentParser
import Carrel
import Sync

struct Checksum: Verb {
    static let configuration = CommandConfiguration(
        commandName: "checksum",
        abstract: "Print the hashes of files, from the storage if it computes them, else by reading.",
        discussion: """
            Every file has \(FileChecksum.computedKinds.joined(separator: ", ")). A storage may provide others; “carrel providers \
            LOC” lists them. In the last part of a path that no shell expands, *, ? and [a-z] stand for the files that match.
            """)

    @Option(help: ArgumentHelp("The hash; the default is sha256.", valueName: "kind"))
    var kind = "sha256"
    @Argument(help: "Files.", completion: .location)
    var locations: [String]
    @OptionGroup var common: CommonOptions

    var blamed: String? { locations.count == 1 ? locations[0] : nil }

    private struct ShownResult: Encodable {
        enum Computer: String, Encodable {
            case server, client
        }

        var location: String
        var kind: String
        var value: String
        var by: Computer
    }

    func validate() throws {
        if kind.isEmpty { throw ValidationError("--kind needs the name of a hash, such as sha256.") }
    }

    func perform(_ session: Session) async throws {
        let work = ItemWork(verb: Self.verb)
        let kind = kind.lowercased()
        let operands = try await session.operands(expanding: locations)
        let all = try await work.each(of: operands) { operand in
            if try await operand.provider.attributesOfItem(path: operand.path).isDirectory {
                throw FileError.isADirectory(operand.path, writing: false)
            }
            let sum = try await FileChecksum.of(operand.path, of: operand.provider, kind: kind)
            return ShownResult(
                location: operand.shown, kind: kind, value: sum.value, by: sum.isByStorage ? .server : .client)
        }
        if !common.json {
            for sum in all {
                try session.output.fields([sum.value, sum.location, "\(sum.kind) by \(sum.by.rawValue)"])
            }
        } else if operands.count == 1, let sum = all.first {
            try session.output.json(sum)
        } else {
            try session.output.json(all)
        }
        try work.finish("not read", hasDocument: true)
    }
}
