import Carrel
import Foundation

/// Reads the members of a JSON object by name and kind. Every mistake is noted with the place where it is, such as
/// `sources[1].location`, so that one run shows all of them.
final class SettingsReader {
    /// What is wrong, in order.
    final class Mistakes {
        fileprivate(set) var sentences: [String] = []
    }

    private let members: [String: JSONValue]
    /// The path to the object, such as `sources[1]`; empty for the whole file.
    private let place: String
    private let mistakes: Mistakes
    private var known: [String] = []

    init(_ members: [String: JSONValue], at place: String = "", _ mistakes: Mistakes) {
        self.members = members
        self.place = place
        self.mistakes = mistakes
    }

    /// Whether the object has the member `name`.
    func has(_ name: String) -> Bool { members[name] != nil }

    /// Notes a mistake in the member `name`.
    func note(_ name: String, _ sentence: String) { mistakes.sentences.append("\(path(name)): \(sentence)") }

    /// The path to a member, for messages.
    func path(_ name: String) -> String { place.isEmpty ? name : place + "." + name }

    private func member(_ name: String) -> JSONValue? {
        known.append(name)
        return members[name]
    }

    private func read<Value>(_ name: String, _ kind: String, _ convert: (JSONValue) -> Value?) -> Value? {
        guard let member = member(name) else { return nil }
        if let value = convert(member) { return value }
        note(name, "this has to be \(kind).")
        return nil
    }

    // MARK: Members

    func string(_ name: String) -> String? {
        read(name, "a string that is not empty") { $0.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// One of a few words.
    func choice<Choice: RawRepresentable & CaseIterable>(_ name: String) -> Choice? where Choice.RawValue == String {
        let words = Choice.allCases.map { "“\($0.rawValue)”" }.joined(separator: " or ")
        return read(name, words) { $0.stringValue.flatMap { Choice(rawValue: $0) } }
    }

    func bool(_ name: String) -> Bool? { read(name, "true or false") { $0.boolValue } }

    func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        read(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            $0.integerValue.map { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A number of seconds.
    func duration(_ name: String, in range: ClosedRange<Double>) -> Duration? {
        let seconds = read(name, "a number of seconds from \(range.lowerBound) to \(range.upperBound)") {
            $0.doubleValue.flatMap { range.contains($0) ? $0 : nil }
        }
        return seconds.map { .seconds($0) }
    }

    /// A number of seconds, or a text such as “1h”.
    func seconds(_ name: String, in range: ClosedRange<Double>) -> Double? {
        let kind = "a number of seconds from \(range.lowerBound) to \(range.upperBound), or a text such as “1h”"
        return read(name, kind) { value in
            let seconds = value.doubleValue ?? value.stringValue.flatMap { TimeText.seconds($0) }
            return seconds.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// An object whose members are read elsewhere.
    func json(_ name: String) -> JSONValue? { read(name, "an object") { $0.objectValue == nil ? nil : $0 } }

    /// A number of bytes, or a text such as “20G”.
    ///
    /// - Parameter least: The least that is accepted, in words and in bytes.
    func bytes(_ name: String, least: (text: String, bytes: Int64)) -> Int64? {
        read(name, "a number of bytes, \(least.text) or more, such as “20G”") { value in
            let bytes = value.integerValue ?? value.stringValue.flatMap { ByteText.bytes($0) }
            return bytes.flatMap { $0 < least.bytes ? nil : $0 }
        }
    }

    func strings(_ name: String) -> [String]? {
        read(name, "a list of strings") { value in
            guard let values = value.arrayValue else { return nil }
            let texts = values.compactMap(\.stringValue)
            return texts.count == values.count ? texts : nil
        }
    }

    /// An object inside this one.
    func object(_ name: String) -> SettingsReader? {
        let members = read(name, "an object") { $0.objectValue }
        return members.map { SettingsReader($0, at: path(name), mistakes) }
    }

    /// The elements of a list with a reader for each object among them, and the path to each.
    func list(_ name: String) -> [(value: JSONValue, object: SettingsReader?, path: String)]? {
        let elements = read(name, "a list") { $0.arrayValue }
        return elements?.enumerated().map { index, element in
            let own = path("\(name)[\(index)]")
            let object = element.objectValue.map { SettingsReader($0, at: own, mistakes) }
            return (value: element, object: object, path: own)
        }
    }

    /// Notes the members that nothing has asked for.
    func finish() {
        for name in members.keys.sorted() where !known.contains(name) {
            let nearest = NearestWord.of(name, among: known).map { "did you mean “\($0)”?" }
            note(name, "there is no such setting; " + (nearest ?? "there are: \(known.joined(separator: ", "))."))
        }
    }
}
