import ArgumentParser
import Foundation

/// The manual page of a command in the format of man(7), generated from the parser's definitions.
struct ManualPage {
    private let tool: Tool
    /// The names of the options that every verb has, which get their own section.
    private let common: Set<String>
    private let exitCodes: [(code: ExitStatus, meaning: String)] = [
        (.done, "Done."), (.failed, "Failed."), (.usage, "Wrong usage."), (.notFound, "Not found."),
        (.refused, "Refused: login, permission, certificate or host key."),
        (.exists, "The target exists, and overwriting was not requested."),
        (.unreachable, "The server is unreachable or busy, or timed out."),
        (.partlyDone, "Partly done; each item that failed is named."),
        (.badFile, "The file is damaged, too large, or has an unknown format."),
        (.interrupted, "Interrupted."),
        (.closedPipe, "The pipe was closed."),
    ]

    /// - Throws: `DecodingError` if the parser's description has an unexpected format.
    init(of root: any ParsableCommand.Type) throws {
        tool = try JSONDecoder().decode(Tool.self, from: Data(root._dumpHelp().utf8))
        let options = try JSONDecoder().decode(Tool.self, from: Data(CommonOptions._dumpHelp().utf8))
        common = Set((options.command.arguments ?? []).compactMap(\.longName).filter { $0 != "help" })
    }

    // MARK: What the parser says

    private struct Tool: Decodable {
        var command: Command
    }

    private struct Command: Decodable {
        var commandName: String
        var shouldDisplay: Bool?
        var abstract: String?
        var discussion: String?
        var subcommands: [Command]?
        var arguments: [Argument]?
    }

    private struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String

            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        var kind: String
        var shouldDisplay: Bool
        var isOptional: Bool
        var isRepeating: Bool
        var names: [Name]?
        var valueName: String?
        var abstract: String?

        var longName: String? { names?.first { $0.kind == "long" }?.name }
    }

    // MARK: The page

    var text: String {
        let root = tool.command
        var page = [
            ".TH \(root.commandName.uppercased()) 1", ".SH NAME",
            "\(root.commandName) \\- \(Self.escaped(root.abstract ?? ""))",
        ]
        page += [".SH SYNOPSIS", ".B \(root.commandName)", ".I verb", "[options] [locations]"]
        if let discussion = root.discussion { page += [".SH DESCRIPTION"] + Self.lines(discussion) }
        page.append(".SH VERBS")
        for verb in displayed(root.subcommands) { page += section(verb, path: [root.commandName]) }
        page.append(".SH OPTIONS OF EVERY VERB")
        let anyVerb = displayed(root.subcommands).first
        for option in anyVerb?.arguments ?? [] where option.longName.map(common.contains) == true {
            page += entry(option)
        }
        page.append(".SH EXIT STATUS")
        for (code, meaning) in exitCodes { page += [".TP", ".B \(code.rawValue)", Self.escaped(meaning)] }
        return page.joined(separator: "\n") + "\n"
    }

    private func displayed(_ commands: [Command]?) -> [Command] {
        (commands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// The section of a verb, or of a group with its verbs.
    private func section(_ command: Command, path: [String]) -> [String] {
        let path = path + [command.commandName]
        let subcommands = displayed(command.subcommands)
        var lines: [String] = []
        if subcommands.isEmpty {
            lines.append(".SS \(Self.escaped((path + synopsis(command)).joined(separator: " ")))")
        } else {
            lines.append(".SS \(Self.escaped(path.joined(separator: " ")))")
        }
        if let abstract = command.abstract { lines += Self.lines(abstract) }
        if let discussion = command.discussion { lines += [".PP"] + Self.lines(discussion) }
        for argument in own(command) where subcommands.isEmpty { lines += entry(argument) }
        for subcommand in subcommands { lines += section(subcommand, path: path) }
        return lines
    }

    /// The arguments that a verb has besides the common options.
    private func own(_ command: Command) -> [Argument] {
        (command.arguments ?? []).filter { argument in
            guard argument.shouldDisplay else { return false }
            return argument.longName.map { !common.contains($0) && $0 != "help" && $0 != "version" } ?? true
        }
    }

    private func synopsis(_ command: Command) -> [String] {
        own(command).map { argument in
            let more = argument.isRepeating ? "…" : ""
            if argument.kind == "positional" { return (argument.valueName ?? "argument").uppercased() + more }
            let name = argument.names?.first?.text ?? ""
            let value = argument.kind == "option" ? " " + (argument.valueName ?? "value") : ""
            return argument.isOptional ? "[\(name)\(value)]\(more)" : name + value + more
        }
    }

    private func entry(_ argument: Argument) -> [String] {
        let head: String
        if argument.kind == "positional" {
            head = (argument.valueName ?? "argument").uppercased()
        } else {
            let names = (argument.names ?? []).map(\.text).joined(separator: ", ")
            head = names + (argument.kind == "option" ? " " + (argument.valueName ?? "value") : "")
        }
        return [".TP", ".B \(Self.escaped(head))"] + Self.lines(argument.abstract ?? "")
    }

    // MARK: The language

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: true).map { escaped(String($0)) }
    }

    /// Escapes text so that no backslash starts an escape, no period or quote at the start of a line is a request, and
    /// no hyphen is soft.
    private static func escaped(_ text: String) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\e").replacingOccurrences(of: "-", with: "\\-")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}
