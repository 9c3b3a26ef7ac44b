import ArgumentParser
import Carrel

struct Stat: Verb {
    static let configuration = CommandConfiguration(commandName: "stat", abstract: "Show an item's attributes.")

    @Argument(help: "Files and folders.", completion: .location)
    var locations: [String]
    @OptionGroup var common: CommonOptions

    var blamed: String? { locations.count == 1 ? locations[0] : nil }

    func perform(_ session: Session) async throws {
        let work = ItemWork(verb: Self.verb)
        let items = try await work.each(of: session.operands(locations)) {
            try await $0.provider.attributesOfItem(path: $0.path)
        }
        if !common.json {
            for item in items { try session.output.line(item.longLine()) }
        } else if locations.count == 1, let item = items.first {
            try session.output.json(ShownItem(item))
        } else {
            var array = ItemArray(session.output)
            for item in items { try array.add(item) }
            try array.end()
        }
        try work.finish("not found or not looked at", hasDocument: true)
    }
}
