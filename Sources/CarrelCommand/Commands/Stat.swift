import ArgumentParser
import Carrel

struct Stat: Verb {
    static let configuration = CommandConfiguration(commandName: "stat", abstract: "Tell what is known about one item.")

    @Argument(help: "A file or a folder.")
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let place = try await session.place(location)
        let item = try await place.provider.attributesOfItem(path: place.path)
        if common.json { try session.output.json(ShownItem(item)) } else { try session.output.line(item.longLine) }
    }
}
