import ArgumentParser
import Foundation

struct Manual: Verb {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Print the manual page, for man(1).",
        discussion:
            "“carrel manual > carrel.1” writes the file for a folder such as /usr/local/share/man/man1.")

    @OptionGroup var common: CommonOptions

    var blamed: String? { nil }

    func perform(_ session: Session) async throws { try session.output.bytes(ManualPage(of: AllVerbs.self).text.utf8) }
}
